import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { complete } from '../api/shape.ts'
import { pick } from '../objects/assign.ts'
import type { Body, Customer, InvoiceItem, Line, Price, Subscription } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { type Payer, payerOf } from '../tax/compute.ts'
import { placeOf } from '../tax/location.ts'
import { readRates } from '../tax/rates.ts'
import { planChange, type UpdateParams } from './change-subscription.ts'
import { lineOf, sketch } from './invoices.ts'
import { amountOf, cycleLines, makeLine, periodOf } from './lines.ts'
import { nextRenewal } from './money.ts'

/**
 * The invoice that a change would create now, if it invoices at once, else that of the next renewal, with pending items;
 * or, without a subscription, the one that `invoice_items` would make. Nothing is stored.
 */
export async function preview(tx: Session, params: Stripe.InvoiceCreatePreviewParams): Promise<Body> {
  const details = params.subscription_details as UpdateParams | undefined
  if (!params.subscription && params.customer && params.invoice_items?.length && !details)
    return previewItems(tx, params, params.invoice_items)
  if (!params.subscription)
    throw invalid('The sandbox previews invoices of a subscription.', {
      code: 'parameter_missing',
      param: 'subscription',
    })
  const subscription = await tx.get<Subscription>('subscription', params.subscription, 'subscription')
  const customer = await tx.customer(subscription.customer)
  if (params.customer && params.customer !== customer.id)
    throw invalid('The subscription belongs to another customer.', { param: 'customer' })
  if (subscription.ended_at)
    throw invalid('No upcoming invoices for a canceled subscription.', { status: 404, code: 'invoice_upcoming_none' })
  const pending = await tx.find<InvoiceItem>('invoiceitem', { customer: customer.id, invoice: null })
  const lines: Line[] = await Promise.all(pending.map((item) => lineOf(tx, item)))
  const change = details ? await planChange(tx, subscription, details) : null
  lines.push(...(change?.prorations ?? []))
  const now = change && (change.restarts || details?.proration_behavior === 'always_invoice')
  if (now) lines.push(...change.fresh)
  else lines.push(...(await nextCycle(tx, subscription, change?.items)))
  const [first] = subscription.items.data
  const period = first ? periodOf(first) : { start: tx.now, end: tx.now }
  const extra = { id: `upcoming_${subscription.id}`, created: now ? tx.now : period.end }
  return complete(
    await sketch(tx, {
      customer,
      subscription,
      reason: now ? 'subscription_update' : 'upcoming',
      lines,
      period,
      extra,
      payer: await payerIn(tx, customer, params.customer_details),
      ...(params.automatic_tax && { automaticTax: params.automatic_tax.enabled }),
    }),
  )
}

async function previewItems(
  tx: Session,
  params: Stripe.InvoiceCreatePreviewParams,
  items: Stripe.InvoiceCreatePreviewParams.InvoiceItem[],
): Promise<Body> {
  const customer = await tx.customer(params.customer ?? '')
  const currency = (params.currency ?? items[0]?.currency ?? 'usd').toLowerCase()
  const lines = []
  for (const [index, item] of items.entries()) {
    const name = `invoice_items[${index}]`
    const price = item.price ? await tx.get<Price>('price', item.price, `${name}[price]`) : null
    const { quantity = 1, period = { start: tx.now, end: tx.now }, description = null } = item
    const amount = item.amount ?? (price ? amountOf(price, quantity, currency) : undefined)
    if (amount === undefined)
      throw invalid('An item needs an amount or a price.', { code: 'parameter_missing', param: `${name}[amount]` })
    const rates = await readRates(tx, item.tax_rates, `${name}[tax_rates]`)
    const taxes = {
      ...(rates?.length && { rates }),
      ...(item.tax_behavior && { behavior: item.tax_behavior }),
      ...(item.tax_code && { code: item.tax_code }),
    }
    lines.push(makeLine({ amount, quantity, price, period, description, currency, ...taxes }))
  }
  const payer = await payerIn(tx, customer, params.customer_details)
  const automaticTax = params.automatic_tax?.enabled ?? false
  const extra = { id: `upcoming_${customer.id}`, created: tx.now, currency }
  return complete(await sketch(tx, { customer, reason: 'manual', lines, extra, payer, automaticTax }))
}

/** The customer as saved, or as a request describes them. */
async function payerIn(
  tx: Session,
  saved: Customer,
  details: Stripe.InvoiceCreatePreviewParams.CustomerDetails = {},
): Promise<Payer> {
  const customer = { ...saved, ...pick(details, 'address', 'shipping', 'tax_exempt') }
  const ids = details.tax_ids ?? (await payerOf(tx, saved)).ids
  return { customer, place: placeOf(customer), ids: ids as Payer['ids'] }
}

async function nextCycle(tx: Session, subscription: Subscription, items = subscription.items.data): Promise<Line[]> {
  const [first] = subscription.items.data
  if (!first || subscription.cancel_at_period_end || (subscription.cancel_at ?? Infinity) <= first.current_period_end)
    return []
  const { interval = 'month', interval_count: step = 1 } = items[0]?.price.recurring ?? {}
  const start = first.current_period_end
  const end = nextRenewal(subscription.billing_cycle_anchor, interval, step, start)
  const data = items.map((item) => ({ ...item, current_period_start: start, current_period_end: end }))
  const next = { ...subscription, status: 'active' as const, items: { ...subscription.items, data } }
  return cycleLines(tx, next, periodOf(first))
}
