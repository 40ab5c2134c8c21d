import { sql } from 'kysely'
import type { z } from 'zod'
import type { customerLimits } from '#contract/operator/customers.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { readPreferences } from '../../billing/alerts/preferences.ts'
import { DEFAULT_CURRENCY } from '../../shop/shop.ts'
import { openCustomer } from './customer-facts.ts'

type Limits = z.input<typeof customerLimits>

/** What limits a customer's calls and spending. Throws not_found. */
export async function readLimits(db: Database, publicId: string): Promise<Limits> {
  const { found, home } = await openCustomer(db, publicId)
  const [preferences, payg, topup, { currency }] = await Promise.all([
    readPreferences(db.kysely, found.number),
    sql<Pick<Limits, 'payg_left' | 'payg_used'>>`
      select payg_left, payg_used from credit_accounts where account_id = ${found.number}`.execute(home),
    sql<NonNullable<Limits['auto_topup']>>`
      select enabled, threshold, packs, monthly_cap_cents, failures, suspended_reason from auto_topups
      where account_id = ${found.number}`.execute(db.kysely),
    limitsCurrency(db.kysely, found.number),
  ])
  return {
    rate_limit_per_minute: found.rate_limit_per_minute,
    plan_rate_limit_per_minute: found.planRateLimit,
    alert_threshold: preferences.alertThreshold,
    spend_cap_cents: preferences.spendCapCents,
    currency: preferences.spendCapCurrency ?? currency,
    payg_enabled: found.payg_enabled,
    payg_left: payg.rows[0]?.payg_left ?? 0,
    payg_used: payg.rows[0]?.payg_used ?? 0,
    auto_topup: topup.rows[0] ?? null,
  }
}

async function limitsCurrency(db: Queryable, accountId: number): Promise<{ currency: string }> {
  const { rows } = await sql<{ currency: string }>`
    select coalesce((select currency from auto_topups where account_id = ${accountId}), (select min(currency) from plans), ${DEFAULT_CURRENCY}) as currency`.execute(
    db,
  )
  return rows[0]!
}
