import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { assertUrl, type Handler, pick } from '../objects/assign.ts'
import type { Body, CheckoutSession, Customer, Fields, PaymentMethod, Price } from '../objects/bodies.ts'
import { attach } from '../objects/cards.ts'
import { charge, createIntent, refusal } from '../objects/payments.ts'
import { type Session, secret } from '../objects/session.ts'
import { readRates } from '../tax/rates.ts'
import { assertPriced, describeBuyer, keepDetails, priceSession, sessionLines, taxFields } from './checkout-tax.ts'
import { assertOneCurrency, optionOf } from './currency.ts'
import { draft, finalize } from './invoices.ts'
import { amountOf } from './lines.ts'
import { markPaid } from './mark-paid.ts'
import { notePayment } from './pay-invoice.ts'
import { subscribe } from './subscribe.ts'

type Params = Stripe.Checkout.SessionCreateParams

async function readItems(tx: Session, params: Params, currency?: string): Promise<CheckoutSession['_items']> {
  const items = []
  for (const [index, given] of (params.line_items ?? []).entries()) {
    const name = `line_items[${index}]`
    const price = await tx.get<Price>('price', given.price ?? '', `${name}[price]`)
    if (!price.active)
      throw invalid(`The price specified is inactive. This field only accepts active prices.`, { param: name })
    if (price.recurring && params.mode === 'payment')
      throw invalid(
        'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
        { param: name },
      )
    const metered = price.recurring?.usage_type === 'metered'
    if (metered && given.quantity !== undefined)
      throw invalid('You cannot set the quantity of a metered price.', { param: `${name}[quantity]` })
    if (!metered && !given.quantity)
      throw invalid(`Quantity is required. Add \`quantity\` to \`${name}\``, { param: `${name}[quantity]` })
    const quantity = given.quantity ?? 0
    const paid: string = currency ?? items[0]?.currency ?? price.currency
    optionOf(price, paid, `${name}[price]`)
    const product = await tx.get<Body>('product', price.product)
    const rates = await readRates(tx, given.tax_rates || undefined, `${name}[tax_rates]`)
    const amount = amountOf(price, quantity, paid)
    items.push({ price, quantity, name: String(product.name), amount, currency: paid, rates })
  }
  if (params.mode === 'subscription' && !items.every((item) => item.price.recurring)) {
    throw invalid('You must provide at least one recurring price in `subscription` mode when using prices.', {
      param: 'line_items',
    })
  }
  if (!items.length)
    throw invalid('Missing required param: line_items.', { code: 'parameter_missing', param: 'line_items' })
  return items
}

async function create(tx: Session, params: Params): Promise<Body> {
  const mode = params.mode ?? 'payment'
  if (mode === 'setup') throw invalid('The sandbox has no checkout in setup mode.', { param: 'mode' })
  if (!params.success_url)
    throw invalid('Missing required param: success_url.', { code: 'parameter_missing', param: 'success_url' })
  for (const name of ['success_url', 'cancel_url']) assertUrl(params, name)
  const customer = params.customer ? await tx.customer(params.customer) : null
  const items = await readItems(tx, params, params.currency?.toLowerCase())
  const currency = items[0]?.currency ?? null
  if (mode === 'subscription' && customer && currency) await assertOneCurrency(tx, customer.id, currency)
  const trial = params.subscription_data?.trial_period_days
  const total = items.reduce((sum, item) => sum + (trial && item.price.recurring ? 0 : item.amount), 0)
  const taxes = await taxFields(tx, params, customer)
  const expires = params.expires_at ?? tx.now + 86_400
  const id = `cs_test_sbx${secret()}`
  const session = await tx.create<CheckoutSession>('checkout.session', 'cs', {
    id,
    mode,
    status: 'open',
    payment_status: total === 0 ? 'no_payment_required' : 'unpaid',
    amount_subtotal: total,
    amount_total: total,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    currency,
    customer: customer?.id ?? null,
    expires_at: expires,
    payment_method_types: ['card'],
    payment_method_collection: mode === 'subscription' ? (params.payment_method_collection ?? 'always') : null,
    ui_mode: 'hosted_page',
    url: `${tx.around.publicUrl}/sandbox/checkout/${id}`,
    invoice_creation:
      mode === 'payment' ? { enabled: params.invoice_creation?.enabled ?? false, invoice_data: {} } : null,
    ...pick(
      params,
      'success_url',
      'cancel_url',
      'client_reference_id',
      'customer_email',
      'metadata',
      'allow_promotion_codes',
      'locale',
      'submit_type',
    ),
    ...taxes,
    _items: items,
    _params: params,
    _clock: customer?.test_clock ?? null,
    _due: expires,
  })
  await priceSession(tx, session)
  await tx.save(session)
  return session
}

/** Expires an open session. */
export async function expireSession(tx: Session, session: CheckoutSession): Promise<Body> {
  if (session.status !== 'open')
    throw invalid(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
    )
  Object.assign(session, { status: 'expired', url: null, _due: null })
  await tx.save(session)
  await tx.emit('checkout.session.expired', session)
  return session
}

/** Whether the page asks for a card; a free subscription or a trial may not need one. */
export function needsCard(session: CheckoutSession): boolean {
  return session.payment_status === 'unpaid' || session.payment_method_collection === 'always'
}

/**
 * Completes a session with a payment method (null if none is needed). A declined card throws and leaves the session
 * open; so does a card that requires authentication, unless `authenticated` says that it succeeded.
 */
export async function completeSession(
  tx: Session,
  session: CheckoutSession,
  method: PaymentMethod | null,
  authenticated: boolean,
): Promise<CheckoutSession> {
  if (session.status !== 'open') throw invalid(`This checkout session is ${session.status}.`)
  assertPriced(session)
  const isNew = !session.customer
  const customer = session.customer ? await tx.customer(session.customer) : await newCustomer(tx, session)
  session.customer = customer.id
  await keepDetails(tx, session, customer, isNew)
  if (session.mode === 'payment') await completePayment(tx, session, customer, method, authenticated)
  else await completeSubscription(tx, session, customer, method, authenticated)
  Object.assign(session, { status: 'complete', url: null, _due: null })
  await describeBuyer(tx, session, customer)
  await tx.save(session)
  await tx.emit('checkout.session.completed', session)
  return session
}

async function newCustomer(tx: Session, session: CheckoutSession): Promise<Customer> {
  const fields = {
    email: session.customer_email ?? 'buyer@sandbox.test',
    balance: 0,
    next_invoice_sequence: 1,
    invoice_prefix: `SBX${session.id.slice(-5).toUpperCase()}`,
  }
  return tx.create<Customer>('customer', 'cus', { ...fields, invoice_settings: { default_payment_method: null } })
}

async function completePayment(
  tx: Session,
  session: CheckoutSession,
  customer: Customer,
  method: PaymentMethod | null,
  authenticated: boolean,
): Promise<void> {
  const { payment_intent_data: payment = {}, invoice_creation: creation } = session._params as unknown as Params
  const total = session.amount_total ?? 0
  if (!method) throw invalid('This session needs a payment method.')
  const fields = pick(payment, 'metadata', 'description', 'setup_future_usage')
  const intent = await createIntent(tx, {
    ...fields,
    amount: total,
    currency: session.currency,
    customer: customer.id,
    _clock: customer.test_clock,
  })
  session.payment_intent = intent.id
  await charge(tx, intent, method, { authenticated })
  if (intent.last_payment_error || intent.status === 'requires_action') throw refusal(intent)
  session.payment_status = intent.status === 'succeeded' ? 'paid' : 'unpaid'
  if (!creation?.enabled) return
  const data = creation.invoice_data ?? {}
  const extra = { ...pick(data, 'metadata', 'description', 'footer', 'account_tax_ids'), _payment: intent.id }
  const lines = sessionLines(tx, session)
  const automaticTax = session.automatic_tax.enabled
  const invoice = await draft(tx, { customer, reason: 'manual', lines, extra, pending: false, automaticTax })
  intent._invoice = invoice.id
  await tx.save(intent)
  await notePayment(tx, invoice, intent)
  await finalize(tx, invoice)
  if (intent.status === 'succeeded' && invoice.status === 'open') await markPaid(tx, invoice, intent)
  session.invoice = invoice.id
}

async function completeSubscription(
  tx: Session,
  session: CheckoutSession,
  customer: Customer,
  method: PaymentMethod | null,
  authenticated: boolean,
): Promise<void> {
  if (method) await attach(tx, method, customer.id)
  const { subscription_data: data = {} } = session._params as unknown as Params
  const items = session._items.map(({ price, quantity, rates }) => ({
    price: price.id,
    ...(quantity && { quantity }),
    ...(rates && { tax_rates: rates.map(({ id }) => id) }),
  }))
  const own = {
    customer: customer.id,
    currency: session.currency,
    items,
    payment_behavior: 'error_if_incomplete',
    automatic_tax: { enabled: session.automatic_tax.enabled },
    default_tax_rates: (session._rates ?? []).map(({ id }) => id),
    ...(method && { default_payment_method: method.id }),
  }
  const fields: Fields = {
    ...pick(
      data,
      'metadata',
      'description',
      'trial_period_days',
      'trial_settings',
      'billing_cycle_anchor',
      'billing_mode',
    ),
    ...own,
  }
  const subscription = await subscribe(tx, fields as unknown as Stripe.SubscriptionCreateParams, {
    onSession: true,
    authenticated,
  })
  session.subscription = subscription.id
  session.invoice = subscription.latest_invoice
  if (session.payment_status === 'unpaid') session.payment_status = 'paid'
}

export const checkoutHandlers: Record<string, Handler> = {
  'POST /v1/checkout/sessions': create,
  'POST /v1/checkout/sessions/{id}/expire': async (tx, _params, id) =>
    expireSession(tx, await tx.get<CheckoutSession>('checkout.session', id)),
}
