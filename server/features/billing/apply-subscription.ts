import { sql } from 'kysely'
import { type Applying, accountOfCustomer } from './applying.ts'
import { endLeeway } from './end-leeway.ts'
import { ensurePlan } from './ensure-plan.ts'
import { grantFreePeriod } from './grant-free-period.ts'
import { guardTrial } from './guard-trial.ts'
import { planPeriod } from './plan-period.ts'
import { refreshEntitlements } from './refresh-entitlements.ts'
import { retireFreePlan } from './retire-free-plan.ts'
import { fetchSubscription, type SubscriptionFacts } from './stripe/fetch-subscription.ts'
import { voidUnpaid } from './void-unpaid.ts'

/** Stripe's words of today. A new one gives no rights until somebody has decided about it. */
const KNOWN = ['active', 'trialing', 'past_due', 'unpaid', 'paused', 'incomplete', 'incomplete_expired', 'canceled']

/**
 * Makes our copy of a subscription, and what the account may do by it, equal to Stripe's present state. Reads the object
 * anew, so it does not matter which event asked for it, in which order, or how often. Grants what costs nothing, the month
 * of a free plan: everything else is granted by money.
 * Answers what it read, or null when the customer is not ours.
 */
export async function applySubscription(ctx: Applying, id: string): Promise<SubscriptionFacts | null> {
  const { tx } = ctx
  const facts = await fetchSubscription(ctx.stripe, id)
  const accountId = await accountOfCustomer(tx, facts.customerId)
  const plan = accountId === null ? null : await ensurePlan(ctx, facts.priceId)
  if (accountId === null || !plan) return null
  const values = {
    price_id: facts.priceId,
    // A trial is a plan in force; Stripe's own word is kept beside it.
    status: facts.status === 'trialing' ? 'active' : facts.status,
    provider_status: facts.status,
    anchor_at: plan.type === 'free' ? facts.cycleAnchor : facts.startedAt,
    current_period_start: facts.periodStart,
    current_period_end: facts.periodEnd,
    trial_end: facts.trialEnd,
    cancels_at: facts.endedAt ? null : facts.cancelsAt,
    ended_at: facts.endedAt,
    pending_price_id: facts.endedAt ? null : facts.pendingPriceId,
  }
  const pastDue = facts.status === 'past_due'
  if (!KNOWN.includes(facts.status))
    ctx.log.error(
      { subscription: id, status: facts.status },
      'a subscription has a status that is not known: it gives no rights',
    )
  await tx
    .insertInto('subscriptions')
    .values({ id, account_id: accountId, source: 'stripe', ...values, past_due_since: pastDue ? sql`app_now()` : null })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        ...values,
        past_due_since: pastDue ? sql`coalesce(subscriptions.past_due_since, app_now())` : null,
      }),
    )
    .execute()
  ctx.step?.('subscription written')
  if (values.status === 'active' && plan.type === 'paid') await retireFreePlan(ctx, accountId)
  ctx.step?.('free plan retired')
  // Not by its invoice: the rest of a month that began before has none.
  if (values.status === 'active' && plan.type === 'free')
    await grantFreePeriod(tx, accountId, plan.credits, await planPeriod(tx, facts.cycleAnchor, facts.periodStart))
  await endLeeway(tx, id)
  await voidUnpaid(ctx, id)
  await guardTrial(ctx, accountId, facts)
  await refreshEntitlements(tx, accountId)
  ctx.step?.('entitlements written')
  return facts
}
