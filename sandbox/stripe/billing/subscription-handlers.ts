import type Stripe from 'stripe'
import { noSuch } from '../api/errors.ts'
import type { Handler } from '../objects/assign.ts'
import type { Body, Subscription } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { changeSubscription, type UpdateParams } from './change-subscription.ts'
import { cancelNow } from './end-subscription.ts'
import { subscribe } from './subscribe.ts'

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

export const subscriptionHandlers: Record<string, Handler> = {
  'POST /v1/subscriptions': (tx, params) => subscribe(tx, params),
  'POST /v1/subscriptions/{id}': update,
  'DELETE /v1/subscriptions/{id}': cancel,
}
