import { sql } from 'kysely'
import { enterBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { grantCredits } from '../../credits/grant.ts'
import { PLAN_LEEWAY } from '../subscriptions/end-leeway.ts'

/** Credits of a month are granted this long before it starts, so that no call falls between two months. */
const AHEAD = "interval '1 hour'"

interface Month {
  account_id: number
  credits: number
  month: number
  month_start: Date
  month_end: Date
}

/**
 * Grants the months of a paid line that have started or start within the hour: one for a monthly plan, up to twelve for
 * a yearly one. Months are skipped when they are over (their credits would have expired), replaced by a later period,
 * after the subscription's end, or fully refunded. The last month has the leeway of end-leeway.ts. Safe to repeat.
 * The transaction has entered the account's bucket. Returns how many were granted.
 */
export async function grantDueMonths(tx: Queryable, lineId: string): Promise<number> {
  const { rows } = await sql<Month>`
    with granted as materialized (
      select source_id from credit_grants where source_type = 'plan_line' and source_id in (select ${lineId} || ':' || month from generate_series(0, 11) month)
    )
    select l.account_id, l.credits, m.month, m.month_start, m.month_end from invoice_lines l,
      lateral (select month, (plan_month(l.period_start, month)) as month_start,
        case when month = l.months - 1 then l.period_end + ${PLAN_LEEWAY} else plan_month(l.period_start, month + 1) end as month_end
        from generate_series(0, l.months - 1) month) m
    where l.id = ${lineId} and l.kind = 'plan' and m.month_start <= app_now() + ${sql.raw(AHEAD)}
      and l.id || ':' || m.month not in (select source_id from granted)
      and (m.month = 0 or (
        least(plan_month(l.period_start, m.month + 1), l.period_end) > app_now()
        and not exists (select from invoice_lines later where later.subscription_id = l.subscription_id
          and later.period_start > l.period_start and later.period_start <= m.month_start)
        and not exists (select from subscriptions s where s.id = l.subscription_id and s.ended_at <= m.month_start)
        and not exists (select from invoices i join reversals r using (payment_intent_id)
          where i.id = l.invoice_id and r.reversed_cents >= r.cents)))
    order by m.month`.execute(tx)
  let granted = 0
  for (const row of rows) {
    const grant = await grantCredits(tx, {
      accountId: row.account_id,
      kind: 'plan',
      amount: row.credits,
      sourceType: 'plan_line',
      sourceId: `${lineId}:${row.month}`,
      effectiveAt: row.month_start,
      expiresAt: row.month_end,
    })
    if (grant.granted) granted++
  }
  return granted
}

/** Grants the due months of every yearly plan. Safe at any time and on several instances. */
export async function grantMonths({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<number> {
  const { rows } = await sql<{ id: string; account_id: number }>`
    select id, account_id from invoice_lines where kind = 'plan' and months > 1 and period_end > app_now() order by id`.execute(
    db.kysely,
  )
  let granted = 0
  for (const { id, account_id: accountId } of rows) {
    granted += await db.kysely
      .transaction()
      .execute(async (tx) => {
        await enterBucket(tx, accountId)
        return grantDueMonths(tx, id)
      })
      .catch((error: Error) => {
        log.error({ line: id, error: error.message }, 'could not grant a month of a yearly plan')
        return 0
      })
  }
  return granted
}
