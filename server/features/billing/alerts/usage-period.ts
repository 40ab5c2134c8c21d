import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Period } from '../plans/plan-period.ts'

/** The period of the current plan (a paid plan before the free one), or the last thirty days without a plan. */
export async function usagePeriod(db: Queryable, accountId: number): Promise<Period> {
  const { rows } = await sql<Period>`
    select start, "end" from (
      select s.current_period_start as start, s.current_period_end as "end", p.type = 'paid' as paid
      from subscriptions s join plans p using (price_id)
      where s.account_id = ${accountId} and subscription_in_force(s.status, s.past_due_since) and s.current_period_end > app_now()
      union all select app_now() - interval '30 days', app_now(), null) found
    order by paid desc nulls last, start desc limit 1`.execute(db)
  return rows[0]!
}
