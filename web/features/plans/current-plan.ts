import type { Plan, Subscription } from '#contract/billing.ts'
import type { SubscriptionAnswer } from './queries.ts'

/** The active subscription: status active, with an item. The single one comes first, then the list. */
export function currentSubscription(answer: SubscriptionAnswer | undefined): Subscription | null {
  if (!answer) return null
  const candidates = [answer.subscription, ...answer.subscriptions].filter((one) => one !== null)
  return candidates.find((one) => one.status === 'active' && one.items.data.length > 0) ?? null
}

/** The active subscription, else the one with a pending payment. */
export const namedSubscription = (answer: SubscriptionAnswer | undefined): Subscription | null =>
  currentSubscription(answer) ?? answer?.subscription ?? null

/** Whether an active subscription's first item carries this plan's price. */
export function isCurrentPlan(plan: Pick<Plan, 'priceId'>, answer: SubscriptionAnswer | undefined): boolean {
  if (!answer) return false
  return [answer.subscription, ...answer.subscriptions].some(
    (one) => one?.status === 'active' && one.items.data[0]?.price.id === plan.priceId,
  )
}

/** Whether the account has a paid plan; the key page treats any type other than free as paid. */
export const hasPaidPlan = (answer: SubscriptionAnswer | undefined) => currentSubscription(answer)?.plan_type === 'paid'

/** The paid plan that has not ended, even if past due: it is changed in the portal, and no second one is bought. */
export const heldPaidPlan = (answer: SubscriptionAnswer | undefined): Subscription | null =>
  answer?.subscriptions.find(({ plan_type: type, status }) => type === 'paid' && HELD.includes(status)) ?? null

export const holdsPaidPlan = (answer: SubscriptionAnswer | undefined): boolean => heldPaidPlan(answer) !== null

const HELD = ['active', 'past_due', 'unpaid', 'paused']

/** The key page's rule: active, or a plan type other than free. */
export function mayUseKeys(answer: SubscriptionAnswer | undefined): boolean {
  const subscription = answer?.subscription ?? answer?.subscriptions[0] ?? null
  return subscription !== null && (subscription.status === 'active' || subscription.plan_type !== 'free')
}
