import { listCurrencies } from '#contract/currency.ts'
import { count, money } from '../../lib/format.ts'
import { unitText, yearCents } from './field-text.ts'
import type { Fields, ProductDetail } from './product-data.ts'

/** What publishing does, a sentence each, in numbers. */
export function effectsOf({ product, live }: Pick<ProductDetail, 'product' | 'live'>, after: Fields): string[] {
  if (live === null)
    return [
      after.kind === 'pack'
        ? 'This pack goes on sale. Customers are offered the cheapest pack.'
        : 'This plan goes on sale on the pricing page.',
    ]
  const kept = product.prices.filter(({ on_sale }) => on_sale)
  // An amount in another currency belongs to the price: changing one makes a new price.
  const others = JSON.stringify(live.other_prices ?? {}) === JSON.stringify(after.other_prices ?? {})
  const leaving = kept.filter((price) => !others || !isKept(price, after))
  const stay = leaving.reduce((sum, { subscribers }) => sum + subscribers, 0)
  const effects: string[] = []
  if (leaving.length > 0) {
    effects.push(`New customers pay ${amountOf(after)}${othersText(after)}.`)
    if (after.kind !== 'pack')
      effects.push(
        stay === 0
          ? 'No customer is on the old price.'
          : `${customers(stay)} ${stay === 1 ? 'stays on the old price and keeps' : 'stay on the old price and keep'} what it grants.`,
      )
  }
  const same = kept.filter((price) => !leaving.includes(price)).reduce((sum, { subscribers }) => sum + subscribers, 0)
  const changes = grantsOf(live) !== grantsOf(after)
  if (after.kind !== 'pack' && changes && same > 0)
    effects.push(
      `${customers(same)} on the current price ${same === 1 ? 'gets' : 'get'} ${grantsOf(after)} from the next billing period.`,
    )
  if (effects.length === 0) effects.push('Prices do not change.')
  return effects
}

const customers = (number: number): string => (number === 1 ? '1 customer' : `${count(number)} customers`)

type Price = ProductDetail['product']['prices'][number]

/** Whether a price stays on sale. */
function isKept(price: Price, after: Fields): boolean {
  if (after.kind === 'payg') return Number(price.unit_cents) === Number(after.unit_cents)
  if (after.kind === 'pack') return price.price_cents === after.price_cents
  if (price.interval === after.interval) return price.price_cents === after.price_cents
  return after.yearly && price.interval === 'year' && price.price_cents === yearCents(after.price_cents)
}

function amountOf(fields: Fields): string {
  if (fields.kind === 'payg') return unitText(fields.unit_cents, fields.currency)
  if (fields.kind === 'pack')
    return `${money(fields.price_cents, fields.currency)} for ${count(fields.credits)} credits`
  const { price_cents, currency, interval, yearly } = fields
  const year = yearly ? `, or ${money(yearCents(price_cents), currency)} a year` : ''
  return `${money(price_cents, currency)} a ${interval}${year}`
}

function othersText(fields: Fields): string {
  const currencies = Object.keys(fields.other_prices ?? {})
  return currencies.length === 0 ? '' : `, or the price in ${listCurrencies(currencies, 'or')}`
}

function grantsOf(fields: Fields): string {
  if (fields.kind === 'pack') return ''
  const rate = `${count(fields.rate_limit_per_minute)} requests per minute`
  if (fields.kind === 'payg') return rate
  return `${fields.unlimited ? 'unlimited' : count(fields.credits)} credits per month and ${rate}`
}
