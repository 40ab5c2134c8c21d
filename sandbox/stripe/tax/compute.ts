import { invalid } from '../api/errors.ts'
import { optionOf } from '../billing/currency.ts'
import { fraction, round } from '../billing/money.ts'
import type { Body, Customer, Line, Price, Tax, TaxId, TaxRate } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { type Place, placeOf } from './location.ts'
import { generatedRate } from './rates.ts'
import { assess, settingsOf } from './settings.ts'
import { exemption, inUnion, jurisdictions, reverseChargeId } from './table.ts'

/** The customer who is taxed, at a place, with tax ids. */
export interface Payer {
  customer: Customer
  place: Place | null
  ids: { type: string; value: string }[]
}

export async function payerOf(tx: Session, customer: Customer): Promise<Payer> {
  const ids = await tx.find<TaxId>('tax_id', { customer: customer.id })
  return { customer, place: placeOf(customer), ids: ids.map(({ type, value }) => ({ type, value })) }
}

interface Applied {
  rate: TaxRate
  reason: string
  taxable: boolean
}

/** Why a sale bears tax or not at the payer's place, and how much. */
async function verdictAt(tx: Session, payer: Payer, place: Place, code: string | null): Promise<[string, number]> {
  const key = place.country === 'US' ? `US-${place.state}` : place.country
  const home = (await settingsOf(tx)).head_office?.address.country
  const seller = await assess(tx, place)
  const idType = reverseChargeId(place.country)
  const business = home !== place.country && idType !== null && payer.ids.some(({ type }) => type === idType)
  if (payer.customer.tax_exempt === 'exempt') return ['customer_exempt', 0]
  if (payer.customer.tax_exempt === 'reverse') return ['reverse_charge', 0]
  if (business && (seller.registered || (inUnion(place.country) && seller.inUnion))) return ['reverse_charge', 0]
  if (!seller.registered) return ['not_collecting', 0]
  const exempt = exemption(code, key)
  if (exempt) return [exempt, 0]
  const found = jurisdictions[key]
  return found ? ['standard_rated', found.percentage] : ['not_supported', 0]
}

/** The product's tax code and the tax behavior of a line, with the account's defaults. */
async function traits(tx: Session, line: Line, currency: string): Promise<{ code: string | null; inclusive: boolean }> {
  const { defaults } = await settingsOf(tx)
  const price = line._price ? await tx.maybe<Price>(line._price) : null
  const product = price ? await tx.maybe<Body>(price.product) : null
  const own = line._behavior ?? (price && optionOf(price, currency).tax_behavior)
  const set = own && own !== 'unspecified' ? own : defaults.tax_behavior
  if (!set)
    throw invalid(
      `The price \`${price?.id ?? line.description}\` does not have a \`tax_behavior\` set which is required for automatic tax computation. Please visit https://stripe.com/docs/tax/products-prices-tax-categories-tax-behavior#tax-behavior for more information.`,
    )
  const inferred = currency === 'usd' || currency === 'cad' ? 'exclusive' : 'inclusive'
  const behavior = set === 'inferred_by_currency' ? inferred : set
  const code = line._code ?? (product?.tax_code as string | null | undefined) ?? defaults.tax_code
  return { code, inclusive: behavior === 'inclusive' }
}

/** Refuses a rate that contradicts the price of its line. */
async function assertFits(tx: Session, line: Line, currency: string, rates: TaxRate[]): Promise<void> {
  const price = line._price ? await tx.maybe<Price>(line._price) : null
  const set = line._behavior ?? (price && optionOf(price, currency).tax_behavior)
  if (!set || set === 'unspecified' || rates.every((rate) => rate.inclusive === (set === 'inclusive'))) return
  throw invalid(
    'One or more prices has a `tax_behavior` that conflicts with the tax rates that apply to the corresponding line item.',
    { param: 'tax_rates' },
  )
}

/** A percentage of an amount, rounded half away from zero: contained in the amount if `within`, else on top of it. */
function share(amount: number, percentage: number, within: number, currency: string): number {
  const { top, bottom } = fraction(String(percentage))
  const all = fraction(String(within))
  const of = (100n * all.bottom + all.top) * bottom
  const tax = round(BigInt(Math.abs(amount)) * top * all.bottom, of, currency)
  return amount < 0 ? -tax : tax
}

const nameOf = ({ display_name: name, description, percentage, inclusive }: TaxRate) =>
  `${description ?? name} (${percentage}%${inclusive ? ' included' : ''})`

function taxesOf(line: Line, currency: string, applied: Applied[]): Tax[] {
  const within = applied.reduce((sum, { rate }) => sum + (rate.inclusive ? rate.percentage : 0), 0)
  const amounts = applied.map(({ rate }) => share(line.amount, rate.percentage, rate.inclusive ? within : 0, currency))
  const contained = amounts.reduce((sum, amount, at) => sum + (applied[at]?.rate.inclusive ? amount : 0), 0)
  return applied.map(({ rate, reason, taxable }, at) => ({
    amount: amounts[at] ?? 0,
    tax_behavior: rate.inclusive ? 'inclusive' : 'exclusive',
    tax_rate_details: { tax_rate: rate.id },
    taxability_reason: reason,
    taxable_amount: taxable ? line.amount - contained : 0,
    type: 'tax_rate_details',
    _text: nameOf(rate),
  }))
}

interface Taxation {
  currency: string
  automatic: boolean
  /** The operator's own rates, for lines without rates of their own. */
  rates: TaxRate[]
}

/**
 * Sets the taxes of lines and returns their sums by rate; null if nothing asks for taxes, or if automatic tax does not
 * know the payer's place. Each line is rounded on its own.
 */
export async function taxLines(
  tx: Session,
  lines: Line[],
  { currency, automatic, rates }: Taxation,
  payer: Payer,
): Promise<Tax[] | null> {
  const asked = automatic ? payer.place !== null : rates.length > 0 || lines.some((line) => line._rates?.length)
  for (const line of lines) {
    if (line.taxes?.length) line.taxes = []
    const chosen = line._rates ?? rates
    if (automatic) {
      if (line._rates?.length)
        throw invalid('Tax rates cannot be set when automatic tax is enabled.', { param: 'tax_rates' })
      const { code, inclusive } = await traits(tx, line, currency)
      if (!payer.place) continue
      const [reason, percentage] = await verdictAt(tx, payer, payer.place, code)
      const rate = await generatedRate(tx, payer.place, percentage, inclusive)
      line.taxes = taxesOf(line, currency, [{ rate, reason, taxable: percentage > 0 }])
    } else if (chosen.length) {
      await assertFits(tx, line, currency, chosen)
      line.taxes = taxesOf(
        line,
        currency,
        chosen.map((rate) => ({ rate, reason: 'not_available', taxable: true })),
      )
    }
  }
  return asked ? sumTaxes(lines.flatMap((line) => line.taxes ?? [])) : null
}

/** Taxes added up by rate, reason and behavior. */
export function sumTaxes(taxes: Tax[]): Tax[] {
  const sums = new Map<string, Tax>()
  for (const tax of taxes) {
    const key = `${tax.tax_rate_details?.tax_rate} ${tax.taxability_reason} ${tax.tax_behavior}`
    const sum = sums.get(key)
    if (!sum) sums.set(key, { ...tax })
    else {
      sum.amount += tax.amount
      sum.taxable_amount = (sum.taxable_amount ?? 0) + (tax.taxable_amount ?? 0)
    }
  }
  return [...sums.values()]
}

/** The part of taxes that is on top of the amounts, or within them. */
export const taxOf = (taxes: Tax[] | null, behavior: 'exclusive' | 'inclusive'): number =>
  (taxes ?? []).reduce((sum, tax) => sum + (tax.tax_behavior === behavior ? tax.amount : 0), 0)
