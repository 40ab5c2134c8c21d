import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { audit } from '../../account/audit.ts'
import { operator } from '../../account/operator.ts'
import { grantFreePeriod } from '../../billing/plans/grant-free-period.ts'
import { appNow, planPeriod } from '../../billing/plans/plan-period.ts'
import { isPayAsYouGo } from '../../billing/plans/plan-rules.ts'
import { refreshEntitlements } from '../../billing/plans/refresh-entitlements.ts'
import type { FoundAccount } from '../find-account.ts'

export interface PlanChange {
  before: { plan: string | null }
  after: { plan: string; price_id: string; granted: number }
}

/**
 * Puts an account on a plan, named by itself or by its price's id, without payment: the plan's rate limit at once, its
 * credits monthly. An account that already has a month's credits gets the new plan's with its next month. Throws conflict when the
 * plan is unknown or usage-based, or when the account pays for a plan. The account is locked.
 */
export async function setPlan(tx: Queryable, account: Pick<FoundAccount, 'id'>, wanted: string): Promise<PlanChange> {
  const { priceId, ...plan } = await givablePlan(tx, wanted)
  await refusePaying(tx, account.id)
  const before = await freePlanOf(tx, account.id)
  const { start, end, anchor } = await subscribe(tx, account.id, priceId)
  const granted = plan.credits > 0 && (await grantFreePeriod(tx, account.id, plan.credits, { start, end }))
  await refreshEntitlements(tx, account.id)
  await audit(tx, {
    accountId: account.id,
    actor: operator,
    action: 'plan.set',
    target: priceId,
    detail: { anchor: anchor.toISOString() },
  })
  return {
    before: { plan: before },
    after: { plan: plan.name, price_id: priceId, granted: granted ? plan.credits : 0 },
  }
}

/** The name of the plan that the account has without payment. */
async function freePlanOf(tx: Queryable, accountId: number): Promise<string | null> {
  const found = await tx
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.price_id', 's.price_id')
    .select('p.name')
    .where('s.account_id', '=', accountId)
    .where('s.source', '=', 'free')
    .where('s.status', '=', 'active')
    .executeTakeFirst()
  return found?.name ?? null
}

async function givablePlan(tx: Queryable, wanted: string): Promise<{ priceId: string; name: string; credits: number }> {
  const plans = await tx
    .selectFrom('plans')
    .select(['price_id as priceId', 'name', 'credits', 'metadata', 'interval', 'active'])
    .orderBy('position')
    .execute()
  const offered = plans.filter(({ active }) => active)
  const namesakes = offered.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const plan =
    plans.find(({ priceId }) => priceId === wanted) ??
    namesakes.find(({ interval }) => interval === 'month') ??
    namesakes[0]
  if (!plan)
    throw new AppError(
      'conflict',
      `There is no plan ${wanted}. Known: ${[...new Set(offered.map(({ name }) => name))].join(', ')}, and the ids of their prices.`,
    )
  if (isPayAsYouGo({ metadata: plan.metadata as Record<string, string> }))
    throw new AppError('conflict', `${plan.name} is billed by usage: only the customer can buy it, through checkout.`)
  return plan
}

async function refusePaying(tx: Queryable, accountId: number): Promise<void> {
  const paying = await tx
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.price_id', 's.price_id')
    .select('p.name')
    .where('s.account_id', '=', accountId)
    .where('s.source', '=', 'stripe')
    .where('p.type', '=', 'paid')
    .where('s.status', 'in', ['active', 'past_due'])
    .executeTakeFirst()
  if (paying)
    throw new AppError(
      'conflict',
      `The account pays for ${paying.name}. Change that subscription at the payment provider instead.`,
    )
}

/** Creates or changes the account's subscription without payment. Its months continue. */
async function subscribe(
  tx: Queryable,
  accountId: number,
  priceId: string,
): Promise<{ start: Date; end: Date; anchor: Date }> {
  const now = await appNow(tx)
  const before = await tx
    .selectFrom('subscriptions')
    .select(['id', 'anchor_at', 'status'])
    .where('account_id', '=', accountId)
    .where('source', '=', 'free')
    .executeTakeFirst()
  const anchor = before?.status === 'active' ? before.anchor_at : now
  const period = await planPeriod(tx, anchor, now)
  const row = {
    price_id: priceId,
    status: 'active',
    ended_at: null,
    anchor_at: anchor,
    current_period_start: period.start,
    current_period_end: period.end,
  }
  if (before) await tx.updateTable('subscriptions').set(row).where('id', '=', before.id).execute()
  else
    await tx
      .insertInto('subscriptions')
      .values({ id: `sub_free_${randomUUID().replaceAll('-', '')}`, account_id: accountId, source: 'free', ...row })
      .execute()
  return { ...period, anchor }
}
