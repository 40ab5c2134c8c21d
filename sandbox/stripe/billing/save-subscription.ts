import { type Body, publicBody, type Subscription } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'

const day = 86_400

/** When the subscription next acts on its own: trial notice, trial end, renewal, scheduled end or phase, or expiry. */
function nextDue(subscription: Subscription): number | null {
  const { status, trial_end: trialEnd } = subscription
  if (subscription.ended_at || status === 'incomplete_expired') return null
  if (status === 'incomplete') return Number(subscription.created) + 23 * 3600
  const renewal = Math.min(...subscription.items.data.map((item) => item.current_period_end))
  const times = [renewal, subscription.cancel_at, subscription._phaseEnd as number | null]
  if (status === 'trialing' && trialEnd && !subscription._trialNoticed) times.push(trialEnd - 3 * day)
  return Math.min(...times.filter((time): time is number => typeof time === 'number'))
}

/** Stores a subscription with its next due time; every change goes through here. */
export async function saveSubscription(tx: Session, subscription: Subscription, event?: string): Promise<void> {
  subscription._due = nextDue(subscription)
  subscription.items.data = subscription.items.data.map((item) => ({ ...publicBody(item), price: item.price }))
  subscription.items.url = `/v1/subscription_items?subscription=${subscription.id}`
  for (const item of subscription.items.data) item.plan = planOf(item.price)
  await tx.save(subscription, event)
}

/** The price in the older `plan` form, which items still include. */
function planOf(price: Body): Body {
  const recurring = price.recurring as Record<string, unknown>
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: recurring.interval,
    interval_count: recurring.interval_count,
    usage_type: recurring.usage_type,
    meter: recurring.meter,
    metadata: price.metadata,
    nickname: price.nickname,
    product: price.product,
    livemode: false,
  }
}
