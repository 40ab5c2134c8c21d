import { sql } from 'kysely'
import { noteCurrency } from '../account-currency.ts'
import { accountOfCustomer, type EventContext } from '../events/event-context.ts'
import { voidUnpaid } from '../invoices/void-unpaid.ts'
import { addFirstKey } from '../plans/add-first-key.ts'
import { ensurePlan } from '../plans/ensure-plan.ts'
import { grantFreePeriod } from '../plans/grant-free-period.ts'
import { planPeriod } from '../plans/plan-period.ts'
import { refreshEntitlements } from '../plans/refresh-entitlements.ts'
import { retireFreePlan } from '../plans/retire-free-plan.ts'
import { fetchSubscription, type SubscriptionFacts } from '../stripe/fetch-subscription.ts'
import { correctRate } from '../taxes/correct-rate.ts'
import { endLeeway } from './end-leeway.ts'
import { guardTrial } from './guard-trial.ts'

/** The statuses that Stripe has today. A new one gives no entitlements until the code handles it. */
const KNOWN = ['active', 'trialing', 'past_due', 'unpaid', 'paused', 'incomplete', 'incomplete_expired', 'canceled']

/**
 * Syncs our copy of a subscription, and the account's entitlements, with Stripe. Reads the object again, so it does not
 * matter which event asked for it, in which order, or how often. Grants only the month of a free plan; everything else
 * is granted by payments. Returns what it read, or null when the customer is not ours.
 */
export async function applySubscription(ctx: EventContext, id: string): Promise<SubscriptionFacts | null> {
  const { tx } = ctx
  const facts = await fetchSubscription(ctx.stripe, id)
  const accountId = await accountOfCustomer(tx, facts.customerId)
  const plan = accountId === null ? null : await ensurePlan(ctx, facts.priceId, facts.currency)
  if (accountId === null || !plan) return null
  const values = {
    price_id: facts.priceId,
    currency: facts.currency,
    // A trial counts as an active plan. Stripe's own status is stored as well.
    status: facts.status === 'trialing' ? 'active' : facts.status,
    provider_status: facts.status,
    anchor_at: plan.type === 'free' ? facts.cycleAnchor : facts.startedAt,
    current_period_start: facts.periodStart,
    current_period_end: facts.periodEnd,
    trial_end: facts.trialEnd,
    cancels_at: facts.endedAt ? null : facts.cancelsAt,
    ended_at: facts.endedAt,
    pending_price_id: facts.endedAt ? null : facts.pendingPriceId,
    tax_off: facts.endedAt ? null : facts.taxOff,
  }
  const pastDue = facts.status === 'past_due'
  if (!KNOWN.includes(facts.status))
    ctx.log.error(
      { subscription: id, status: facts.status },
      'a subscription has an unknown status and gives no entitlements',
    )
  const known = await tx.selectFrom('subscriptions').select('id').where('id', '=', id).executeTakeFirst()
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
  if (plan.type === 'paid' && facts.endedAt === null) await noteCurrency(tx, accountId, facts.currency)
  if (!known && plan.type === 'paid' && facts.endedAt === null) await correctRate(ctx, accountId, facts, plan)
  ctx.step?.('subscription written')
  if (values.status === 'active' && plan.type === 'paid') await retireFreePlan(ctx, accountId)
  ctx.step?.('free plan retired')
  if (values.status === 'active' && plan.type === 'paid') await addFirstKey(ctx, accountId)
  ctx.step?.('first key created')
  // Granted here, because the rest of an earlier month has no invoice.
  if (values.status === 'active' && plan.type === 'free')
    await grantFreePeriod(tx, accountId, plan.credits, await planPeriod(tx, facts.cycleAnchor, facts.periodStart))
  await endLeeway(tx, id)
  await voidUnpaid(ctx, id)
  await guardTrial(ctx, accountId, facts)
  await refreshEntitlements(tx, accountId)
  ctx.step?.('entitlements written')
  return facts
}
