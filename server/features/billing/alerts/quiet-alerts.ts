import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { setNextAlerts } from '../../credits/alerts.ts'
import { alertState } from './alert-state.ts'

const AT_ONCE = 500

interface Facts {
  accountId: number
  threshold: number
  used: number
  remaining: number
}

/**
 * Sets the next alert level of accounts that have crossed no alert in their period, many at a time and without blocking
 * calls: after a renewal every account is due once. Accounts with a crossed alert, or with credits about to expire,
 * stay due for `raiseUsageAlerts`.
 */
export async function settleQuietAlerts(db: Database, accountIds: number[]): Promise<void> {
  for (let at = 0; at < accountIds.length; at += AT_ONCE) {
    const quiet: { accountId: number; credits: number | null }[] = []
    for (const { accountId, threshold, used, remaining } of await readFacts(db, accountIds.slice(at, at + AT_ONCE))) {
      const { crossed, next } = alertState(threshold, used, remaining)
      if (crossed.length === 0) quiet.push({ accountId, credits: next })
    }
    await setNextAlerts(db.kysely, quiet)
  }
}

/**
 * One statement, so one snapshot: charges move credits from remaining to used. Usage that is not folded yet is read
 * once for all accounts.
 */
async function readFacts(db: Database, accountIds: number[]): Promise<Facts[]> {
  const { rows } = await sql<Facts>`
    with periods as materialized (
      select d.account_id, coalesce(p.alert_threshold, 90) as threshold, period.start,
        date_trunc('hour', period.start, 'UTC') + interval '1 hour' as full_hours
      from unnest(${accountIds}::bigint[]) d(account_id) left join account_preferences p using (account_id)
      cross join lateral (
        select coalesce((select s.current_period_start from subscriptions s join plans using (price_id)
          where s.account_id = d.account_id and subscription_in_force(s.status, s.past_due_since) and s.current_period_end > app_now()
          order by plans.type = 'paid' desc, s.current_period_start desc limit 1), app_now() - interval '30 days') as start) period
    ), wanted as materialized (
      select p.*, a.balance from periods p join credit_accounts a using (account_id) where a.due_at > app_now()
    ), recent as materialized (
      select account_id, sum(u.from_credits) as credits from usage_recent u join wanted w using (account_id) where u.hour >= w.full_hours group by 1
    )
    select w.account_id as "accountId", w.threshold, w.balance as remaining,
      (coalesce(recent.credits, 0) + coalesce(hours.credits, 0) + coalesce(first.credits, 0))::bigint as used
    from wanted w left join recent using (account_id)
    left join lateral (select sum(from_credits) as credits from usage_hourly where account_id = w.account_id and hour >= w.full_hours) hours on true
    left join lateral (select sum(from_credits) as credits from usage_events
      where account_id = w.account_id and at >= w.start and at < w.full_hours) first on true`.execute(db.kysely)
  return rows
}
