import type Stripe from 'stripe'
import { invalid, noSuch } from '../api/errors.ts'
import { pageOf } from '../api/lists.ts'
import { assign, type Handler } from '../objects/assign.ts'
import type { Body, Item, Subscription } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { changeSubscription, type UpdateParams } from './change-subscription.ts'
import { cancelNow } from './end-subscription.ts'
import { draft, finalize } from './invoices.ts'
import { cycleLines, firstEnd } from './lines.ts'
import { collect } from './pay-invoice.ts'
import { saveSubscription } from './save-subscription.ts'
import { type ItemParams, subscribe } from './subscribe.ts'

async function update(tx: Session, params: UpdateParams, id: string): Promise<Body> {
  return changeSubscription(tx, await tx.get<Subscription>('subscription', id), params)
}

async function cancel(tx: Session, params: Stripe.SubscriptionCancelParams, id: string): Promise<Body> {
  const subscription = await tx.get<Subscription>('subscription', id)
  if (subscription.ended_at) throw noSuch('subscription', id)
  return cancelNow(tx, subscription, {
    prorate: params.prorate ?? false,
    invoiceNow: params.invoice_now ?? false,
    details: params.cancellation_details as object,
  })
}

/** A paused subscription starts a new period, which must be paid first. */
async function resume(tx: Session, _params: unknown, id: string): Promise<Body> {
  const subscription = await tx.get<Subscription>('subscription', id)
  if (subscription.status !== 'paused') throw invalid('You can only resume a subscription that is paused.')
  const customer = await tx.customer(subscription.customer)
  for (const item of subscription.items.data)
    Object.assign(item, { current_period_start: tx.now, current_period_end: firstEnd(item.price, tx.now) })
  subscription.billing_cycle_anchor = tx.now
  subscription.status = 'active'
  const invoice = await draft(tx, {
    customer,
    subscription,
    reason: 'subscription_cycle',
    lines: await cycleLines(tx, subscription, null),
  })
  await finalize(tx, invoice)
  subscription.latest_invoice = invoice.id
  await saveSubscription(tx, subscription)
  if (invoice.status === 'open') await collect(tx, invoice, { offSession: true })
  const resumed = await tx.get<Subscription>('subscription', id)
  await tx.emit('customer.subscription.resumed', resumed)
  return resumed
}

async function holderOf(tx: Session, id: string): Promise<{ subscription: Subscription; item: Item }> {
  const [subscription] = await tx.find<Subscription>('subscription', { items: { data: [{ id }] } })
  const item = subscription?.items.data.find((one) => one.id === id)
  if (!subscription || !item) throw noSuch('subscription_item', id)
  return { subscription: await tx.get<Subscription>('subscription', subscription.id), item }
}

async function listItems(tx: Session, params: Stripe.SubscriptionItemListParams): Promise<unknown> {
  const subscription = await tx.get<Subscription>('subscription', params.subscription, 'subscription')
  return pageOf(subscription.items.data, params as object as Record<string, unknown>, '/v1/subscription_items')
}

async function createItem(tx: Session, params: Stripe.SubscriptionItemCreateParams): Promise<Body> {
  const { subscription: id, proration_behavior, payment_behavior, ...item } = params
  const before = await tx.get<Subscription>('subscription', id, 'subscription')
  const known = new Set(before.items.data.map((one) => one.id))
  const after = await changeSubscription(tx, before, {
    items: [item as ItemParams],
    proration_behavior,
    payment_behavior,
  })
  return after.items.data.find((one) => !known.has(one.id)) as Body
}

async function updateItem(tx: Session, params: Stripe.SubscriptionItemUpdateParams, id: string): Promise<Body> {
  const { subscription } = await holderOf(tx, id)
  const { proration_behavior, payment_behavior, ...item } = params
  const after = await changeSubscription(tx, subscription, {
    items: [{ ...(item as ItemParams), id }],
    proration_behavior,
    payment_behavior,
  })
  return after.items.data.find((one) => one.id === id) as Body
}

async function deleteItem(tx: Session, params: Stripe.SubscriptionItemDeleteParams, id: string): Promise<unknown> {
  const { subscription } = await holderOf(tx, id)
  const { proration_behavior } = params
  await changeSubscription(tx, subscription, { items: [{ id, deleted: true }], proration_behavior })
  return { id, object: 'subscription_item', deleted: true }
}

async function updateCancelled(tx: Session, params: UpdateParams, id: string): Promise<Body> {
  const subscription = await tx.get<Subscription>('subscription', id)
  const allowed = Object.keys(params).every((name) => ['metadata', 'cancellation_details', 'expand'].includes(name))
  if (!subscription.ended_at || !allowed) return update(tx, params, id)
  assign(subscription, params, 'metadata')
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
  return subscription
}

export const subscriptionHandlers: Record<string, Handler> = {
  'POST /v1/subscriptions': (tx, params) => subscribe(tx, params),
  'POST /v1/subscriptions/{id}': updateCancelled,
  'DELETE /v1/subscriptions/{id}': cancel,
  'POST /v1/subscriptions/{id}/resume': resume,
  'GET /v1/subscription_items': listItems,
  'POST /v1/subscription_items': createItem,
  'GET /v1/subscription_items/{id}': async (tx, _params, id) => (await holderOf(tx, id)).item,
  'POST /v1/subscription_items/{id}': updateItem,
  'DELETE /v1/subscription_items/{id}': deleteItem,
}
