import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { pick } from '../objects/assign.ts'
import type { Address, CheckoutSession, Customer, Fields, Line, Tax } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { type Payer, payerOf, taxLines, taxOf } from '../tax/compute.ts'
import { placeAt, placeOf } from '../tax/location.ts'
import { readRates } from '../tax/rates.ts'
import { assertTaxReady } from '../tax/settings.ts'
import { hasForm } from '../tax/table.ts'
import { addTaxId } from '../tax/tax-ids.ts'
import { makeLine } from './lines.ts'

type Params = Stripe.Checkout.SessionCreateParams

const paramsOf = (session: CheckoutSession) => session._params as unknown as Params
const taxesItself = (session: CheckoutSession) => paramsOf(session).automatic_tax?.enabled ?? false

/** The fields of a new session that concern taxes. Refuses what could not be computed at the end. */
export async function taxFields(tx: Session, params: Params, customer: Customer | null): Promise<Fields> {
  const { automatic_tax: automatic, customer_update: update, tax_id_collection: ids, name_collection: names } = params
  if (update && !customer)
    throw invalid('`customer_update` can only be used with `customer`.', { param: 'customer_update' })
  if (automatic?.enabled) {
    await assertTaxReady(tx)
    if (customer && update?.address !== 'auto' && !placeOf(customer))
      throw invalid(
        "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
        { code: 'customer_tax_location_invalid', param: 'automatic_tax' },
      )
  }
  if (ids?.enabled && customer && update?.name !== 'auto')
    throw invalid(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
      { param: 'tax_id_collection' },
    )
  return {
    ...pick(params, 'billing_address_collection'),
    ...(automatic?.enabled && {
      automatic_tax: { enabled: true, liability: { type: 'self' }, provider: 'stripe', status: null },
    }),
    ...(ids && { tax_id_collection: { enabled: ids.enabled, required: ids.required ?? 'never' } }),
    ...(names && {
      name_collection: Object.fromEntries(
        Object.entries(names).map(([kind, one]) => [kind, { optional: false, ...one }]),
      ),
    }),
    _rates: (await readRates(tx, params.subscription_data?.default_tax_rates, 'default_tax_rates')) ?? [],
  }
}

/** What the page asks for besides a card. */
export function asked(session: CheckoutSession) {
  const { billing_address_collection: billing, customer_update: update, ...params } = paramsOf(session)
  const { business, individual } = params.name_collection ?? {}
  const taxId = params.tax_id_collection?.enabled ?? false
  return {
    address: billing === 'required' || (taxesItself(session) && (!session.customer || update?.address === 'auto')),
    taxId,
    business: business?.enabled || taxId,
    individual: individual?.enabled ?? false,
  }
}

const must = (value: string, wanted: boolean | undefined, what: string) => {
  if (wanted && !value) throw invalid(`Enter ${what}.`)
}

/** The address in a form. Throws with words for the buyer if it is no place where a tax can be computed. */
export function readAddress(given: Fields): Address {
  const address = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null } as Address
  for (const part of Object.keys(address) as (keyof Address)[]) address[part] = String(given[part] ?? '').trim() || null
  address.country = address.country?.toUpperCase() ?? null
  must(address.country ?? '', true, 'your billing address')
  if (!placeAt(address)) throw invalid('Enter a country and, in the US and Canada, a state or postal code.')
  return address
}

/** Takes what a buyer entered and prices the session anew. Throws with words for the buyer if something is missing or wrong. */
export async function enterDetails(tx: Session, session: CheckoutSession, given: Fields): Promise<void> {
  const wants = asked(session)
  if (!Object.values(wants).some(Boolean) || given.asked !== 'yes') return
  const text = (name: string) => String(given[name] ?? '').trim()
  const names = paramsOf(session).name_collection
  const details: NonNullable<CheckoutSession['_details']> = {}
  if (wants.address) details.address = readAddress(given)
  if (wants.business) details.business_name = text('business_name') || null
  if (wants.individual) details.individual_name = text('individual_name') || null
  must(text('business_name'), names?.business?.enabled && !names.business.optional, 'the name of your business')
  must(text('individual_name'), names?.individual?.enabled && !names.individual.optional, 'your name')
  if (wants.taxId && text('tax_id')) {
    const id = { type: text('tax_id_type'), value: text('tax_id') }
    if (!hasForm(id.type, id.value)) throw invalid(`Invalid value for ${id.type}.`)
    must(text('business_name'), true, 'the name of your business')
    details.tax_id = id
  }
  must(text('tax_id'), paramsOf(session).tax_id_collection?.required === 'if_supported', 'your tax ID')
  session._details = details
  await priceSession(tx, session)
  await tx.save(session)
}

async function payerAt(tx: Session, session: CheckoutSession): Promise<Payer> {
  const { address, tax_id: id } = session._details ?? {}
  const known = session.customer ? await payerOf(tx, await tx.customer(session.customer)) : null
  const customer = { ...(known?.customer ?? ({} as Customer)), ...(address && { address, shipping: null }) }
  return { customer, place: placeOf(customer), ids: [...(known?.ids ?? []), ...(id ? [id] : [])] }
}

/** The lines of the payment that a session leads to. A trial costs nothing today; `later`: what is charged after it. */
export function sessionLines(tx: Session, session: CheckoutSession, later = false): Line[] {
  const trial = !later && paramsOf(session).subscription_data?.trial_period_days
  const period = { start: tx.now, end: tx.now }
  return session._items.map(({ price, quantity, name, amount, currency, rates }) =>
    makeLine({
      amount: trial && price.recurring ? 0 : amount,
      quantity,
      price,
      description: name,
      period,
      currency,
      ...(rates && { rates }),
    }),
  )
}

/** The taxes of a session as it is now, by rate; `later`: of what is charged after a trial. */
export async function sessionTaxes(tx: Session, session: CheckoutSession, later = false): Promise<Tax[] | null> {
  return taxLines(tx, sessionLines(tx, session, later), taxationOf(session), await payerAt(tx, session))
}

const taxationOf = (session: CheckoutSession) => ({
  currency: session.currency ?? 'usd',
  automatic: taxesItself(session),
  rates: session._rates ?? [],
})

/** Sets the totals of a session. */
export async function priceSession(tx: Session, session: CheckoutSession): Promise<void> {
  const lines = sessionLines(tx, session)
  const payer = await payerAt(tx, session)
  const taxes = await taxLines(tx, lines, taxationOf(session), payer)
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0)
  session.amount_subtotal = subtotal
  session.amount_total = subtotal + taxOf(taxes, 'exclusive')
  const amount_tax = taxOf(taxes, 'exclusive') + taxOf(taxes, 'inclusive')
  session.total_details = { amount_discount: 0, amount_shipping: 0, amount_tax }
  if (taxesItself(session)) session.automatic_tax.status = payer.place ? 'complete' : 'requires_location_inputs'
}

/** Before payment: whether everything that automatic tax needs is known. */
export function assertPriced(session: CheckoutSession): void {
  if (session.automatic_tax.status === 'requires_location_inputs') throw invalid('Enter your billing address.')
}

/** Saves to the customer what the session may save: everything of a new one, of an existing one what `customer_update` names. */
export async function keepDetails(
  tx: Session,
  session: CheckoutSession,
  customer: Customer,
  isNew: boolean,
): Promise<void> {
  const { address, business_name: business, individual_name: individual, tax_id: id } = session._details ?? {}
  const update = paramsOf(session).customer_update
  if (address && (isNew || update?.address === 'auto')) Object.assign(customer, { address, shipping: null })
  const name = business ?? individual
  if (name && (isNew || update?.name === 'auto')) customer.name = name
  if (business) customer.business_name = business
  if (individual) customer.individual_name = individual
  if (session._details) await tx.save(customer, 'customer.updated')
  const { ids } = await payerOf(tx, customer)
  if (id && !ids.some(({ value }) => value === id.value)) await addTaxId(tx, customer.id, id)
}

/** `customer_details` and `collected_information` of a complete session. */
export async function describeBuyer(tx: Session, session: CheckoutSession, customer: Customer): Promise<void> {
  const { address = null, business_name = null, individual_name = null } = session._details ?? {}
  const { ids } = await payerOf(tx, customer)
  const known = taxesItself(session) ? (customer.address ?? null) : null
  session.customer_details = {
    email: customer.email,
    name: customer.name,
    address: address ?? known,
    phone: null,
    tax_exempt: customer.tax_exempt ?? 'none',
    tax_ids: ids,
    business_name,
    individual_name,
  }
  if (session._details) session.collected_information = { business_name, individual_name, shipping_details: null }
}
