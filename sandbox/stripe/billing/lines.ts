import type { Item, Line, Period, Price, Subscription, TaxRate } from '../objects/bodies.ts'
import { newId, type Session } from '../objects/session.ts'
import { optionOf } from './currency.ts'
import { addIntervals, day, money, multiply, prorate } from './money.ts'
import { usage } from './usage.ts'

/** The cost of a quantity of a price, in the smallest unit of the currency. */
export function amountOf(price: Price, quantity: number, currency: string): number {
  return multiply(optionOf(price, currency).unit_amount_decimal ?? '0', quantity, currency)
}

interface LineFields {
  amount: number
  description: string | null
  period: Period
  currency: string
  price?: Price | null
  quantity?: number
  proration?: boolean
  subscription?: string | null
  item?: string
  invoiceItem?: string
  metadata?: Record<string, string>
  metered?: boolean
  rates?: TaxRate[]
  behavior?: string
  code?: string
}

/** An invoice line: of a subscription item if `item` is given, else of an invoice item. */
export function makeLine(fields: LineFields): Line {
  const {
    amount,
    description,
    period,
    currency,
    price,
    quantity = 1,
    proration = false,
    subscription = null,
    item,
  } = fields
  const details = { invoice_item: fields.invoiceItem ?? null, proration, proration_details: null, subscription }
  const parent = item
    ? {
        type: 'subscription_item_details',
        subscription_item_details: { ...details, subscription_item: item },
        invoice_item_details: null,
      }
    : {
        type: 'invoice_item_details',
        invoice_item_details: { ...details, invoice_item: details.invoice_item ?? newId('ii') },
        subscription_item_details: null,
      }
  const unit = price ? optionOf(price, currency).unit_amount_decimal : String(amount)
  const known = price ? { price_details: { price: price.id, product: price.product } } : {}
  return {
    id: newId('il'),
    object: 'line_item',
    amount,
    subtotal: amount,
    currency,
    description,
    period,
    quantity,
    quantity_decimal: String(quantity),
    discountable: !proration,
    metadata: fields.metadata ?? {},
    subscription,
    parent,
    pricing: { type: 'price_details', unit_amount_decimal: unit, ...known },
    _price: price?.id ?? null,
    _metered: fields.metered ? (item ?? null) : null,
    ...(fields.rates && { _rates: fields.rates }),
    ...(fields.behavior && { _behavior: fields.behavior }),
    ...(fields.code && { _code: fields.code }),
  }
}

const ratesOf = ({ tax_rates: rates }: Item) => (rates?.length ? { rates } : {})

async function nameOf(tx: Session, price: Price): Promise<string> {
  return String((await tx.maybe(price.product))?.name ?? price.nickname ?? price.id)
}

/** '$19.00 / month', or the sub-cent price of one unit. */
export function priceText(price: Price, currency: string): string {
  const { recurring } = price
  const { unit_amount: cents, unit_amount_decimal: decimal } = optionOf(price, currency)
  const amount = cents === null ? money(Number(decimal ?? 0), currency, true) : money(cents, currency)
  if (!recurring) return amount
  return `${amount} / ${recurring.interval_count > 1 ? `${recurring.interval_count} ` : ''}${recurring.usage_type === 'metered' ? 'unit' : recurring.interval}`
}

export const periodOf = (item: Item): Period => ({ start: item.current_period_start, end: item.current_period_end })

/** Lines of one cycle: licensed items for the period that starts, metered items for `used`, the period that has ended. */
export async function cycleLines(tx: Session, subscription: Subscription, used: Period | null): Promise<Line[]> {
  const lines: Line[] = []
  const { currency } = subscription
  for (const item of subscription.items.data) {
    const { price } = item
    const metered = price.recurring?.usage_type === 'metered'
    const period = metered && used ? used : periodOf(item)
    const trial = subscription.status === 'trialing'
    const quantity = metered ? (used ? await usage(tx, subscription.customer, price, used) : 0) : (item.quantity ?? 1)
    const name = await nameOf(tx, price)
    const own = {
      currency,
      price,
      subscription: subscription.id,
      item: item.id,
      metadata: item.metadata,
      metered: metered && used !== null,
      ...ratesOf(item),
    }
    const description = trial ? `Trial period for ${name}` : `${quantity} × ${name} (at ${priceText(price, currency)})`
    const amount = trial ? 0 : amountOf(price, quantity, currency)
    lines.push(makeLine({ ...own, amount, description, period, quantity }))
  }
  return lines
}

/** The unused part of an item as a credit, or the remaining part of one as a charge. Metered items have neither. */
export async function prorationLine(
  tx: Session,
  subscription: Subscription,
  item: Item,
  at: number,
  kind: 'unused' | 'remaining',
): Promise<Line | null> {
  const { price, quantity = 1 } = item
  const { currency } = subscription
  const { start, end } = periodOf(item)
  if (price.recurring?.usage_type === 'metered' || at >= end) return null
  const cents = amountOf(price, quantity, currency) * (kind === 'unused' ? -1 : 1)
  const amount = prorate(cents, end - at, end - start, currency)
  const name = `${quantity > 1 ? `${quantity} × ` : ''}${await nameOf(tx, price)}`
  const description = `${kind === 'unused' ? 'Unused' : 'Remaining'} time on ${name} after ${day(at)}`
  const own = {
    currency,
    price,
    quantity,
    subscription: subscription.id,
    item: item.id,
    proration: true,
    ...ratesOf(item),
  }
  return makeLine({ ...own, amount, description, period: { start: at, end } })
}

/** When a cycle that starts at `anchor` first renews. */
export function firstEnd(price: Price, anchor: number): number {
  const { interval = 'month', interval_count: step = 1 } = (price.recurring ?? {}) as {
    interval?: 'month'
    interval_count?: number
  }
  return addIntervals(anchor, interval, step)
}
