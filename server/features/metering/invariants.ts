import { sql } from 'kysely'
import { allBucketIds, enterBucketNumber } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

export interface Violation {
  /** I1, I2, I4, I7 or I9, as defined in README.md in this folder. */
  invariant: 'I1' | 'I2' | 'I4' | 'I7' | 'I9'
  detail: string
}

const checks: { invariant: Violation['invariant']; find: string }[] = [
  {
    // Per grant: the ledger adds up to what remains, and 0 <= remaining <= amount.
    invariant: 'I1',
    find: `select g.account_id, format('grant %s: remaining %s of %s, ledger %s', g.id, g.remaining, g.amount, coalesce(l.total, 0))
      from credit_grants g left join (select grant_id, sum(delta) as total from credit_ledger group by grant_id) l on l.grant_id = g.id
      where g.remaining <> coalesce(l.total, 0) or g.remaining < 0 or g.remaining > g.amount or (g.state = 'closed' and g.remaining <> 0)`,
  },
  {
    // Per account: balance = live remaining - unsettled, and balance >= 0.
    invariant: 'I2',
    find: `select a.account_id, format('account %s: balance %s, live %s, unsettled %s', a.account_id, a.balance, coalesce(g.live, 0), a.unsettled)
      from credit_accounts a left join (select account_id, sum(remaining) as live from credit_grants where state = 'live' group by account_id) g
        on g.account_id = a.account_id
      where a.balance <> coalesce(g.live, 0) - a.unsettled or a.balance < 0`,
  },
  {
    // Each call has one row.
    invariant: 'I4',
    find: `select account_id, format('account %s: %s rows for call %s of batch %s', account_id, count(*), n, batch)
      from usage_events group by account_id, at, batch, n having count(*) > 1`,
  },
  {
    // Each error row has charge 0.
    invariant: 'I4',
    find: `select account_id, format('account %s: a failed call was charged %s', account_id, from_credits + from_payg)
      from usage_events where not success and (from_credits <> 0 or from_payg <> 0)`,
  },
  {
    // Daily sums and histograms match the rows, for every day whose rows still exist. A day that a bucket has archived counts as one
    // without rows, in every bucket: accounts move, and their archived rows do not.
    invariant: 'I4',
    find: `with archived as (select distinct day from metering.usage_archives), e as materialized (
        select account_id, coalesce(key_id, 0) as key_id, (at at time zone 'UTC')::date as day, latency_bucket(duration_ms) as bucket, count(*) as calls,
          count(*) filter (where success) as success, sum(from_credits) as credits, sum(from_payg) as payg
        from usage_events where (at at time zone 'UTC')::date not in (select day from archived) group by 1, 2, 3, 4), oldest as (select coalesce((min(at) at time zone 'UTC')::date, 'infinity') as day from usage_events)
      select account_id, format('account %s, key %s, day %s: rows and sums differ', account_id, key_id, day)
      from (select account_id, key_id, day, sum(success) as success, sum(calls - success) as failed, sum(credits) as credits, sum(payg) as payg from e group by 1, 2, 3) e
      full join (select account_id, key_id, day, sum(success) as success, sum(failed) as failed, sum(from_credits) as from_credits, sum(from_payg) as from_payg
          from usage_by_day where day >= (select day from oldest) and day not in (select day from archived) group by 1, 2, 3) d using (account_id, key_id, day)
      where (coalesce(e.success, 0), coalesce(e.failed, 0), coalesce(e.credits, 0), coalesce(e.payg, 0))
        is distinct from (coalesce(d.success, 0), coalesce(d.failed, 0), coalesce(d.from_credits, 0), coalesce(d.from_payg, 0))
      union all
      select account_id, format('account %s, key %s, day %s: rows and histogram differ', account_id, key_id, day)
      from e full join (select account_id, key_id, (since at time zone 'UTC')::date as day, bucket, sum(calls) as calls from usage_durations
          where not hourly and key_id >= 0 and since >= (select day::timestamp at time zone 'UTC' from oldest)
            and (since at time zone 'UTC')::date not in (select day from archived) group by 1, 2, 3, 4) d using (account_id, key_id, day, bucket)
      where coalesce(e.calls, 0) <> coalesce(d.calls, 0)`,
  },
  {
    // Hourly sums match the daily ones, refusals included, for every day whose hours still exist.
    invariant: 'I4',
    find: `select account_id, format('account %s, key %s, day %s: hours and day differ', account_id, key_id, day)
      from (select account_id, key_id, (hour at time zone 'UTC')::date as day, sum(success) as success, sum(failed) as failed, sum(refused) as refused,
              sum(from_credits) as credits, sum(from_payg) as payg from usage_by_hour group by 1, 2, 3) h
      full join (select account_id, key_id, day, sum(success) as success, sum(failed) as failed, sum(refused) as refused, sum(from_credits) as from_credits,
              sum(from_payg) as from_payg
          from usage_by_day where day >= (select coalesce((min(hour) at time zone 'UTC')::date, 'infinity') from usage_by_hour) group by 1, 2, 3) d
        using (account_id, key_id, day)
      where (h.success, h.failed, h.refused, h.credits, h.payg) is distinct from (d.success, d.failed, d.refused, d.from_credits, d.from_payg)`,
  },
  {
    // Hourly histograms match the daily ones, for every day whose hours still exist.
    invariant: 'I4',
    find: `select account_id, format('account %s, key %s, day %s: histograms of hours and day differ', account_id, key_id, since)
      from (select account_id, key_id, date_trunc('day', since, 'UTC') as since, bucket, sum(calls) filter (where hourly) as by_hour,
              sum(calls) filter (where not hourly) as by_day from usage_durations
            where since >= (select date_trunc('day', min(since), 'UTC') from usage_durations where hourly) group by 1, 2, 3, 4) d
      where by_hour is distinct from by_day`,
  },
  {
    // The histograms of all keys (-1) are the sums of each key's.
    invariant: 'I4',
    find: `select account_id, format('account %s, %s %s: histograms of the keys and of all differ', account_id, case when hourly then 'hour' else 'day' end, since)
      from (select account_id, hourly, since, bucket, sum(calls) filter (where key_id >= 0) as of_keys, sum(calls) filter (where key_id = -1) as of_all
            from usage_durations group by 1, 2, 3, 4) d
      where of_keys is distinct from of_all`,
  },
  {
    // Charged usage, plus what running calls hold = debits in the ledger (minus refunds) + unsettled.
    invariant: 'I7',
    find: `select a.account_id, format('account %s: charged %s, held %s, ledger %s, unsettled %s', a.account_id, coalesce(u.charged, 0), coalesce(h.held, 0), coalesce(l.debits, 0), a.unsettled)
      from credit_accounts a
      left join (select account_id, sum(from_credits) as charged from usage_by_day group by account_id) u on u.account_id = a.account_id
      left join (select account_id, -sum(delta) as debits from credit_ledger where kind in ('debit', 'refund') group by account_id) l
        on l.account_id = a.account_id
      left join (select account_id, sum(from_credits) as held from credit_holds group by account_id) h on h.account_id = a.account_id
      where coalesce(u.charged, 0) + coalesce(h.held, 0) <> coalesce(l.debits, 0) + a.unsettled`,
  },
]

/** Tables of a bucket with rows of accounts. usage_pending has a line for many accounts. */
const ofAccounts = [
  'credit_accounts',
  'credit_grants',
  'credit_ledger',
  'credit_holds',
  'meter_keys',
  'idempotency',
  'usage_alerts_due',
  'usage_events',
  'usage_open',
  'usage_hourly',
  'usage_daily',
  'usage_latency',
  'usage_reports',
]

/** Each account is in one bucket, the one that `accounts` names. */
const strangers = (bucket: number): string => `
  select account_id, format('account %s of bucket %s has rows in %s of bucket ${bucket}', account_id, a.bucket, f.name)
  from (${ofAccounts.map((table) => `select distinct account_id, '${table}' as name from ${table}`).join(' union all ')}) f
  join accounts a on a.id = f.account_id where a.bucket <> ${bucket}`

/**
 * Checks I1, I2, I4, I7 and I9 in each bucket, all in one snapshot, so it is safe under live traffic and moves of accounts. Returns
 * the violations.
 */
export async function checkInvariants(db: Database): Promise<Violation[]> {
  return db.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const violations: Violation[] = []
      const buckets = await allBucketIds(tx)
      for (const bucket of buckets) {
        await enterBucketNumber(tx, bucket)
        const elsewhere: typeof checks = buckets.length > 1 ? [{ invariant: 'I9', find: strangers(bucket) }] : []
        // What a move has copied ahead, or not deleted yet, is not the account's.
        const { rows: moving } = await sql<{ id: number }>`
          select m.account_id as id from bucket_moves m join accounts a on a.id = m.account_id
          where m.done_at is null and a.bucket <> ${bucket}`.execute(tx)
        for (const { invariant, find } of [...checks, ...elsewhere]) {
          const { rows } = await sql<{ detail: string }>`
            select detail from (${sql.raw(find)}) found(account_id, detail)
            where abs(found.account_id) <> all (${moving.map(({ id }) => id)}::bigint[]) limit 100`.execute(tx)
          for (const { detail } of rows) violations.push({ invariant, detail })
        }
      }
      return violations
    })
}
