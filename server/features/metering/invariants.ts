import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

export interface Violation {
  /** I1, I2, I4 or I7: README.md beside this file says what each one promises. */
  invariant: 'I1' | 'I2' | 'I4' | 'I7'
  detail: string
}

const checks: { invariant: Violation['invariant']; find: string }[] = [
  {
    // Per grant: the ledger adds up to what remains, and 0 <= remaining <= amount.
    invariant: 'I1',
    find: `select format('grant %s: remaining %s of %s, ledger %s', g.id, g.remaining, g.amount, coalesce(l.total, 0))
      from credit_grants g left join (select grant_id, sum(delta) as total from credit_ledger group by grant_id) l on l.grant_id = g.id
      where g.remaining <> coalesce(l.total, 0) or g.remaining < 0 or g.remaining > g.amount or (g.state = 'closed' and g.remaining <> 0)`,
  },
  {
    // Per account: balance = live remaining - unsettled, and balance >= 0.
    invariant: 'I2',
    find: `select format('account %s: balance %s, live %s, unsettled %s', a.account_id, a.balance, coalesce(g.live, 0), a.unsettled)
      from credit_accounts a left join (select account_id, sum(remaining) as live from credit_grants where state = 'live' group by account_id) g
        on g.account_id = a.account_id
      where a.balance <> coalesce(g.live, 0) - a.unsettled or a.balance < 0`,
  },
  {
    // Each call has one row.
    invariant: 'I4',
    find: `select format('account %s: %s rows for call %s of batch %s', account_id, count(*), n, batch)
      from usage_events group by account_id, at, batch, n having count(*) > 1`,
  },
  {
    // Each error row has charge 0.
    invariant: 'I4',
    find: `select format('account %s: a failed call was charged %s', account_id, from_credits + from_payg)
      from usage_events where not success and (from_credits <> 0 or from_payg <> 0)`,
  },
  {
    // The daily sums agree with the rows, histogram included, for every day whose rows are still held.
    invariant: 'I4',
    find: `select format('account %s, key %s, day %s: rows and sums differ', coalesce(e.account_id, d.account_id), coalesce(e.key_id, d.key_id), coalesce(e.day, d.day))
      from (select account_id, coalesce(key_id, 0) as key_id, (at at time zone 'UTC')::date as day, latency_bucket(duration_ms) as bucket,
              count(*) filter (where success) as success, count(*) filter (where not success) as failed, sum(from_credits) as credits, sum(from_payg) as payg
            from usage_events group by 1, 2, 3, 4) e
      full join (select account_id, key_id, day, bucket, sum(success) as success, sum(failed) as failed, sum(from_credits) as from_credits, sum(from_payg) as from_payg
          from usage_by_day where day >= (select coalesce((min(at) at time zone 'UTC')::date, 'infinity') from usage_events) group by 1, 2, 3, 4) d
        on d.account_id = e.account_id and d.key_id = e.key_id and d.day = e.day and d.bucket = e.bucket
      where (coalesce(e.success, 0), coalesce(e.failed, 0), coalesce(e.credits, 0), coalesce(e.payg, 0))
        is distinct from (coalesce(d.success, 0), coalesce(d.failed, 0), coalesce(d.from_credits, 0), coalesce(d.from_payg, 0))`,
  },
  {
    // The hourly sums agree with the daily ones, for every day whose hours are still held.
    invariant: 'I4',
    find: `select format('account %s, key %s, day %s: hours and day differ', coalesce(h.account_id, d.account_id), coalesce(h.key_id, d.key_id), coalesce(h.day, d.day))
      from (select account_id, key_id, (hour at time zone 'UTC')::date as day, bucket, sum(success) as success, sum(failed) as failed,
              sum(from_credits) as credits, sum(from_payg) as payg from usage_by_hour group by 1, 2, 3, 4) h
      full join (select account_id, key_id, day, bucket, sum(success) as success, sum(failed) as failed, sum(from_credits) as from_credits, sum(from_payg) as from_payg
          from usage_by_day where day >= (select coalesce((min(hour) at time zone 'UTC')::date, 'infinity') from usage_by_hour) group by 1, 2, 3, 4) d
        on d.account_id = h.account_id and d.key_id = h.key_id and d.day = h.day and d.bucket = h.bucket
      where (h.success, h.failed, h.credits, h.payg) is distinct from (d.success, d.failed, d.from_credits, d.from_payg)`,
  },
  {
    // Usage charged, and what calls under way hold = debits in the ledger (refunds taken off) + unsettled.
    invariant: 'I7',
    find: `select format('account %s: charged %s, held %s, ledger %s, unsettled %s', a.account_id, coalesce(u.charged, 0), coalesce(h.held, 0), coalesce(l.debits, 0), a.unsettled)
      from credit_accounts a
      left join (select account_id, sum(from_credits) as charged from usage_by_day group by account_id) u on u.account_id = a.account_id
      left join (select account_id, -sum(delta) as debits from credit_ledger where kind in ('debit', 'refund') group by account_id) l
        on l.account_id = a.account_id
      left join (select account_id, sum(from_credits) as held from credit_holds group by account_id) h on h.account_id = a.account_id
      where coalesce(u.charged, 0) + coalesce(h.held, 0) <> coalesce(l.debits, 0) + a.unsettled`,
  },
]

/** Looks for violations of I1, I2, I4 and I7 in one snapshot, so that it may run beside live traffic. Empty: all hold. */
export async function checkInvariants(db: Database): Promise<Violation[]> {
  return db.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const violations: Violation[] = []
      for (const { invariant, find } of checks) {
        const { rows } = await sql
          .raw<{ detail: string }>(`select detail from (${find}) found(detail) limit 100`)
          .execute(tx)
        for (const { detail } of rows) violations.push({ invariant, detail })
      }
      return violations
    })
}
