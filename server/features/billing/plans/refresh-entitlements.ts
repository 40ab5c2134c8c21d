import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { holdCharges, setEntitlements } from '../../credits/set-entitlements.ts'
import { sumPaygUnits } from '../../usage/payg-units.ts'
import { isPayAsYouGo, isUnlimited } from './plan-rules.ts'
import { heldCurrency, heldUnitAmount } from './price-in.ts'

/** The cap in units per period when the customer has set none: $100,000 at the seeded price. */
const MOST_UNITS = 1_000_000_000

/** Computes from the active plans whether calls are unlimited, and how much pay-as-you-go is left in this period. */
export async function refreshEntitlements(tx: Queryable, accountId: number): Promise<void> {
  await holdCharges(tx, accountId)
  const plans = await tx
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.price_id', 's.price_id')
    .leftJoin('account_preferences as a', 'a.account_id', 's.account_id')
    .select(['s.anchor_at', 's.current_period_start', 's.current_period_end', 'p.metadata'])
    // How many units the cap pays for: none if it is in another currency. Prices are fractions of a cent, so this needs exact decimals.
    .select(
      sql<number>`case when a.spend_cap_cents is not null and coalesce(a.spend_cap_currency, p.currency) <> ${heldCurrency} then 0
        else least(floor(a.spend_cap_cents / nullif(${heldUnitAmount}, '0')::numeric), ${MOST_UNITS})::bigint end`.as(
        'cap',
      ),
    )
    .where('s.account_id', '=', accountId)
    .where(sql<boolean>`subscription_in_force(s.status, s.past_due_since)`)
    .orderBy('s.anchor_at', 'desc')
    .execute()
  const payg = plans.find(({ metadata }) => isPayAsYouGo({ metadata: metadata as Record<string, string> }))
  const period = payg && { since: payg.anchor_at, from: payg.current_period_start, to: payg.current_period_end }
  const used = period ? await sumPaygUnits(tx, accountId, period) : 0
  await setEntitlements(tx, accountId, {
    unlimited: plans.some(isUnlimited),
    payAsYouGo: payg ? { left: Math.max(0, (payg.cap ?? MOST_UNITS) - used), used } : null,
  })
}

/** Ends the entitlements of accounts whose grace period for a late payment is over. Safe to repeat. */
export async function endGrace({ db }: Pick<Deps, 'db'>): Promise<void> {
  const late = await db.kysely
    .selectFrom('subscriptions')
    .select('account_id')
    .distinct()
    .where('status', '=', 'past_due')
    .where(sql<boolean>`not subscription_in_force(status, past_due_since)`)
    .execute()
  for (const { account_id: accountId } of late)
    await db.kysely.transaction().execute((tx) => refreshEntitlements(tx, accountId))
}
