import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { assign, mergeMetadata } from '../objects/assign.ts'
import type { Invoice, Item, Line, Subscription } from '../objects/bodies.ts'
import { paymentMethod } from '../objects/cards.ts'
import type { Session } from '../objects/session.ts'
import { locationInvalid, placeOf } from '../tax/location.ts'
import { readRates } from '../tax/rates.ts'
import { assertTaxReady } from '../tax/settings.ts'
import { optionOf } from './currency.ts'
import { draft, finalize } from './invoices.ts'
import { amountOf, cycleLines, firstEnd, prorationLine } from './lines.ts'
import { collect } from './pay-invoice.ts'
import { saveSubscription } from './save-subscription.ts'
import { type ItemParams, incompleteError, recurringPrice } from './subscribe.ts'

export type UpdateParams = Omit<Stripe.SubscriptionUpdateParams, 'items'> & { items?: ItemParams[] }

/** The computed effect of changing items; nothing is stored yet. */
export interface Change {
  items: Item[]
  anchor: number
  /** Credits and charges for parts of the current period. */
  prorations: Line[]
  /** Full lines for a period that starts with the change. */
  fresh: Line[]
  restarts: boolean
}

/** The subscription's item with a new price, quantity or metadata. */
async function readItem(tx: Session, current: Item, [given, ...more]: ItemParams[], currency: string): Promise<Item> {
  if (!given?.id || more.length)
    throw invalid('A subscription has one item in the sandbox. Name it by its id.', { param: 'items' })
  if (given.id !== current.id)
    throw invalid(`No such subscription item: '${given.id}'`, {
      status: 404,
      code: 'resource_missing',
      param: 'items[0][id]',
    })
  const item = { ...current, metadata: mergeMetadata(current.metadata, given.metadata) }
  if (given.price) item.price = await recurringPrice(tx, given, 'items[0]')
  optionOf(item.price, currency, 'items[0][price]')
  const rates = await readRates(tx, given.tax_rates, 'items[0][tax_rates]')
  if (rates) item.tax_rates = rates
  if (item.price.recurring?.usage_type === 'metered') delete item.quantity
  else item.quantity = given.quantity ?? item.quantity ?? 1
  return item
}

const intervalOf = ({ price }: Item) => `${price.recurring?.interval}${price.recurring?.interval_count}`

/** Computes the new item, cycle and lines. A new interval, a change from free to paid, or a request restarts the cycle. */
export async function planChange(tx: Session, subscription: Subscription, params: UpdateParams): Promise<Change> {
  const [old] = subscription.items.data as [Item]
  const item = params.items ? await readItem(tx, old, params.items, subscription.currency) : { ...old }
  const costOf = ({ price, quantity = 0 }: Item) => amountOf(price, quantity, subscription.currency)
  const endsTrial = subscription.status === 'trialing' && params.trial_end === 'now'
  const trialing = subscription.status === 'trialing' && !endsTrial
  const freed = costOf(old) === 0 && costOf(item) > 0 && old.price.recurring?.usage_type !== 'metered'
  const anew = params.billing_cycle_anchor?.type === 'now' || intervalOf(old) !== intervalOf(item) || freed
  const restarts = endsTrial || (anew && !trialing)
  const prorations: Line[] = []
  const changes = restarts || item.price.id !== old.price.id || item.quantity !== old.quantity
  if (changes && params.proration_behavior !== 'none' && !trialing && !endsTrial) {
    await push(prorations, prorationLine(tx, subscription, old, tx.now, 'unused'))
    if (!restarts) await push(prorations, prorationLine(tx, subscription, item, tx.now, 'remaining'))
  }
  if (!restarts) return { items: [item], anchor: subscription.billing_cycle_anchor, prorations, fresh: [], restarts }
  Object.assign(item, { current_period_start: tx.now, current_period_end: firstEnd(item.price, tx.now) })
  const items = { ...subscription.items, data: [item] }
  const fresh = await cycleLines(tx, { ...subscription, status: 'active', items }, null)
  return { items: [item], anchor: tx.now, prorations, fresh, restarts }
}

async function push(lines: Line[], line: Promise<Line | null>): Promise<void> {
  const made = await line
  if (made && made.amount !== 0) lines.push(made)
}

/** Turns automatic tax on or off, and sets the rates of those without it. */
async function setTax(tx: Session, subscription: Subscription, params: UpdateParams): Promise<void> {
  const rates = await readRates(tx, params.default_tax_rates, 'default_tax_rates')
  if (rates) subscription.default_tax_rates = rates
  const enabled = params.automatic_tax?.enabled
  if (enabled === undefined) return
  if (enabled) await assertTaxReady(tx)
  if (enabled && !placeOf(await tx.customer(subscription.customer))) throw locationInvalid()
  const liability = enabled ? { type: 'self' } : null
  Object.assign(subscription, { automatic_tax: { enabled, disabled_reason: null, liability } })
}

/** Stores prorations as pending invoice items for the next invoice. */
async function keepForLater(tx: Session, subscription: Subscription, lines: Line[]): Promise<void> {
  for (const line of lines) {
    await tx.create('invoiceitem', 'ii', {
      customer: subscription.customer,
      amount: line.amount,
      currency: line.currency,
      date: tx.now,
      description: line.description,
      period: line.period,
      quantity: line.quantity,
      quantity_decimal: line.quantity_decimal,
      proration: true,
      pricing: line.pricing,
      parent: { type: 'subscription_details', subscription_details: { subscription: subscription.id } },
      invoice: null,
      test_clock: subscription.test_clock,
      ...(line._rates && { tax_rates: line._rates }),
      _subscription: subscription.id,
      _price: line._price,
    })
  }
}

/** Changes a subscription. What is due now is invoiced; `payment_behavior` says what a failed payment means. */
export async function changeSubscription(
  tx: Session,
  subscription: Subscription,
  params: UpdateParams,
): Promise<Subscription> {
  if (subscription.ended_at)
    throw invalid('The sandbox does not update a canceled subscription.', { code: 'resource_missing' })
  const customer = await tx.customer(subscription.customer)
  assign(subscription, params, 'metadata', 'description', 'trial_settings', 'payment_settings')
  if (params.default_payment_method)
    subscription.default_payment_method = (await paymentMethod(tx, params.default_payment_method)).id
  scheduleEnd(tx, subscription, params)
  await setTax(tx, subscription, params)
  if (!params.items && !params.billing_cycle_anchor && params.trial_end !== 'now') {
    await saveSubscription(tx, subscription, 'customer.subscription.updated')
    return subscription
  }
  if (subscription.automatic_tax.enabled && !tx.pinned && !placeOf(customer)) throw locationInvalid()
  const change = await planChange(tx, subscription, params)
  const now = change.restarts || (params.proration_behavior === 'always_invoice' && change.prorations.length > 0)
  if (!now) {
    await keepForLater(tx, subscription, change.prorations)
    return adopt(tx, subscription, change)
  }
  const lines = [...change.prorations, ...change.fresh]
  const period = { start: tx.now, end: change.items[0]?.current_period_end ?? tx.now }
  const invoice = await draft(tx, { customer, subscription, reason: 'subscription_update', lines, period })
  await finalize(tx, invoice)
  subscription.latest_invoice = invoice.id
  return settle(tx, subscription, change, invoice, params.payment_behavior)
}

async function settle(
  tx: Session,
  subscription: Subscription,
  change: Change,
  invoice: Invoice,
  behavior: string | undefined,
): Promise<Subscription> {
  if (invoice.status !== 'open') return adopt(tx, subscription, change)
  await saveSubscription(tx, subscription)
  const intent = await collect(tx, invoice, { offSession: false })
  if (intent?.status === 'succeeded' || intent?.status === 'processing') {
    subscription.status = (await tx.get<Subscription>('subscription', subscription.id)).status
    return adopt(tx, subscription, change)
  }
  if (behavior === 'error_if_incomplete' && intent) throw incompleteError(intent)
  return adopt(tx, { ...subscription, status: 'past_due' }, change)
}

async function adopt(tx: Session, subscription: Subscription, change: Change): Promise<Subscription> {
  subscription.items.data = change.items
  subscription.billing_cycle_anchor = change.anchor
  if (subscription.status === 'trialing' && change.restarts)
    Object.assign(subscription, { status: 'active', trial_end: tx.now })
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
  return subscription
}

/** With flexible billing, `cancel_at_period_end` also sets `cancel_at`; the portal sets only `cancel_at`. */
function scheduleEnd(tx: Session, subscription: Subscription, params: UpdateParams): void {
  const end = subscription.items.data[0]?.current_period_end ?? tx.now
  const { cancel_at: at, cancel_at_period_end: atPeriodEnd } = params
  if (at === undefined && atPeriodEnd === undefined) return
  if (typeof at === 'number' && at <= tx.now)
    throw invalid('`cancel_at` must be in the future.', { param: 'cancel_at' })
  const time = atPeriodEnd ? end : typeof at === 'number' ? at : at ? end : null
  subscription.cancel_at_period_end = Boolean(atPeriodEnd)
  subscription.cancel_at = time
  subscription.canceled_at = time ? tx.now : null
  const details = params.cancellation_details as object | undefined
  subscription.cancellation_details = {
    comment: null,
    feedback: null,
    reason: time ? 'cancellation_requested' : null,
    ...details,
  }
}
