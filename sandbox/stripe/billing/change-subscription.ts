import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { assign, mergeMetadata } from '../objects/assign.ts'
import type { Customer, Invoice, Item, Line, Subscription } from '../objects/bodies.ts'
import { paymentMethod } from '../objects/cards.ts'
import type { Session } from '../objects/session.ts'
import { draft, finalize } from './invoices.ts'
import { amountOf, cycleLines, firstEnd, prorationLine } from './lines.ts'
import { collect } from './pay-invoice.ts'
import { saveSubscription } from './save-subscription.ts'
import { type ItemParams, incompleteError, newItem, recurringPrice } from './subscribe.ts'

export type UpdateParams = Omit<Stripe.SubscriptionUpdateParams, 'items'> & { items?: ItemParams[] }

/** What a change of items would do: nothing is stored yet. */
export interface Change {
  items: Item[]
  anchor: number
  /** Credits and charges for parts of the running period. */
  prorations: Line[]
  /** Whole lines of a period that starts with the change. */
  fresh: Line[]
  restarts: boolean
}

async function readItems(tx: Session, subscription: Subscription, params: ItemParams[]): Promise<Item[]> {
  let items = subscription.items.data.map((item) => ({ ...item }))
  for (const [index, given] of params.entries()) {
    const name = `items[${index}]`
    const held = items.find((item) => item.id === given.id)
    if (given.id && !held)
      throw invalid(`No such subscription item: '${given.id}'`, {
        status: 404,
        code: 'resource_missing',
        param: `${name}[id]`,
      })
    if (!held) {
      const sample = items[0] as Item
      const added = await newItem(tx, subscription.id, given, name, items)
      items.push({
        ...added,
        current_period_start: sample.current_period_start,
        current_period_end: sample.current_period_end,
      })
    } else if (given.deleted) items = items.filter((item) => item !== held)
    else {
      if (given.price || given.price_data) held.price = await recurringPrice(tx, given, name)
      if (held.price.recurring?.usage_type === 'metered') delete held.quantity
      else held.quantity = given.quantity ?? held.quantity ?? 1
      held.metadata = mergeMetadata(held.metadata, given.metadata)
    }
  }
  if (!items.length) throw invalid('A subscription must have at least one active plan.', { param: 'items' })
  return items
}

const total = (items: Item[]) => items.reduce((sum, item) => sum + amountOf(item.price, item.quantity ?? 0), 0)
const interval = (item: Item | undefined) =>
  `${item?.price.recurring?.interval}${item?.price.recurring?.interval_count}`

/** Works out new items, the cycle and the lines; a change of interval, from free to paid, or on request, restarts the cycle. */
export async function planChange(tx: Session, subscription: Subscription, params: UpdateParams): Promise<Change> {
  const before = subscription.items.data
  const items = params.items ? await readItems(tx, subscription, params.items) : before.map((item) => ({ ...item }))
  const at = tx.now
  const endsTrial = subscription.status === 'trialing' && params.trial_end === 'now'
  const trialing = subscription.status === 'trialing' && !endsTrial
  const freed = total(before) === 0 && total(items) > 0 && before[0]?.price.recurring?.usage_type !== 'metered'
  const anew = params.billing_cycle_anchor?.type === 'now' || interval(before[0]) !== interval(items[0]) || freed
  const restarts = endsTrial || (anew && !trialing)
  const change: Change = {
    items,
    anchor: restarts ? tx.now : subscription.billing_cycle_anchor,
    prorations: [],
    fresh: [],
    restarts,
  }
  const prorates = params.proration_behavior !== 'none' && !trialing && !endsTrial
  for (const old of prorates ? before : []) {
    const now = items.find((item) => item.id === old.id)
    if (!restarts && now && now.price.id === old.price.id && now.quantity === old.quantity) continue
    await push(change.prorations, prorationLine(tx, subscription, old, at, 'unused'))
    if (!restarts && now) await push(change.prorations, prorationLine(tx, subscription, now, at, 'remaining'))
  }
  for (const item of restarts ? items : []) {
    item.current_period_start = tx.now
    item.current_period_end = firstEnd(item.price, tx.now)
  }
  if (restarts)
    change.fresh = await cycleLines(
      tx,
      { ...subscription, status: 'active', items: { ...subscription.items, data: items } },
      null,
    )
  else if (prorates)
    for (const added of items.filter((item) => !before.some((old) => old.id === item.id)))
      await push(change.prorations, prorationLine(tx, subscription, added, at, 'remaining'))
  return change
}

async function push(lines: Line[], line: Promise<Line | null>): Promise<void> {
  const made = await line
  if (made && made.amount !== 0) lines.push(made)
}

/** Turns prorations into pending invoice items, which the next invoice collects. */
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
      _subscription: subscription.id,
      _price: line._price,
    })
  }
}

/** Changes a subscription. What must be paid now is invoiced and collected before the new items count, if asked so. */
export async function changeSubscription(
  tx: Session,
  subscription: Subscription,
  params: UpdateParams,
): Promise<Subscription> {
  if (subscription.ended_at)
    throw invalid('A canceled subscription can only update its cancellation_details and metadata.', {
      code: 'resource_missing',
    })
  const customer = await tx.customer(subscription.customer)
  assign(subscription, params, 'metadata', 'description', 'trial_settings', 'payment_settings')
  if (params.default_payment_method)
    subscription.default_payment_method = (await paymentMethod(tx, params.default_payment_method)).id
  scheduleEnd(tx, subscription, params)
  if (!params.items && !params.billing_cycle_anchor && params.trial_end !== 'now') {
    await saveSubscription(tx, subscription, 'customer.subscription.updated')
    return subscription
  }
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
  return settle(tx, subscription, change, invoice, params.payment_behavior ?? 'allow_incomplete', customer)
}

async function settle(
  tx: Session,
  subscription: Subscription,
  change: Change,
  invoice: Invoice,
  behavior: string,
  customer: Customer,
): Promise<Subscription> {
  if (invoice.status !== 'open') return adopt(tx, subscription, change)
  const waits = behavior === 'pending_if_incomplete'
  subscription._pendingInvoice = waits ? invoice.id : null
  await saveSubscription(tx, subscription)
  const intent = await collect(tx, invoice, { offSession: false })
  if (intent?.status === 'succeeded' || intent?.status === 'processing') {
    const { status } = await tx.get<Subscription>('subscription', subscription.id)
    Object.assign(subscription, { status, _pendingInvoice: null })
    return adopt(tx, subscription, change)
  }
  if (behavior === 'error_if_incomplete' && intent) throw incompleteError(intent)
  if (!waits) return adopt(tx, { ...subscription, status: 'past_due', customer: customer.id }, change)
  subscription.pending_update = { expires_at: tx.now + 23 * 3600, subscription_items: change.items }
  subscription._pendingAnchor = change.anchor
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
  return subscription
}

async function adopt(tx: Session, subscription: Subscription, change: Change): Promise<Subscription> {
  subscription.items.data = change.items
  subscription.billing_cycle_anchor = change.anchor
  if (subscription.status === 'trialing' && change.restarts)
    Object.assign(subscription, { status: 'active', trial_end: tx.now })
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
  return subscription
}

/** Flexible billing keeps both marks of a scheduled end; the portal sets only `cancel_at`. */
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
