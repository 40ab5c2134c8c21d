import { sql } from 'kysely'
import type { KeyAnalytics, Usage, UsageRange, UsageTotals } from '#contract/usage.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { findOwnKey } from '../keys/get.ts'
import { keyNames } from '../keys/list.ts'
import { describeKey } from './describe-key.ts'

const TOP_KEYS = 5

/** `count` buckets of `unit` up to and with the one under way. */
const shapes: Record<UsageRange, { unit: 'hour' | 'day'; count: number }> = {
  '24h': { unit: 'hour', count: 24 },
  '7d': { unit: 'day', count: 7 },
  '30d': { unit: 'day', count: 30 },
  '90d': { unit: 'day', count: 90 },
}

interface BucketRow {
  key_id: number
  time: Date
  success: number
  failed: number
}

/** Usage of all keys, deleted ones and the playground included, from sums that the commit keeps exact. */
export async function readUsage({ actor, deps }: UserContext, range: UsageRange): Promise<Usage> {
  const db = deps.db.kysely
  const [rows, requestsThisMonth, names] = await Promise.all([
    readBuckets(db, actor.accountId, range, null),
    countThisMonth(db, actor.accountId, null),
    keyNames(db, actor.accountId),
  ])
  const byKey = Map.groupBy(rows, (row) => row.key_id)
  const analytics = [...byKey].map(([keyId, keyRows]): KeyAnalytics => {
    const { publicId, name } = describeKey(keyId === 0 ? null : keyId, names)
    return { unkeyId: publicId, keyName: name, data: keyRows.map(toBucket) }
  })
  const topApiKeys = analytics
    .map(({ unkeyId, keyName, data }) => ({ keyId: unkeyId, name: keyName, requests: requestsOf(data) }))
    .sort((a, b) => b.requests - a.requests)
    .slice(0, TOP_KEYS)
  return { analytics, ...totals(rows, requestsThisMonth), topApiKeys }
}

/** Usage of one live key. Throws not_found, the same for another account's key. */
export async function readKeyAnalytics(
  { actor, deps }: UserContext,
  publicId: string,
  range: UsageRange,
): Promise<UsageTotals & { analytics: KeyAnalytics }> {
  const db = deps.db.kysely
  const { keyId, name } = await findOwnKey(db, actor.accountId, publicId)
  const [rows, requestsThisMonth] = await Promise.all([
    readBuckets(db, actor.accountId, range, keyId),
    countThisMonth(db, actor.accountId, keyId),
  ])
  const analytics = { unkeyId: publicId.toLowerCase(), keyName: name, data: rows.map(toBucket) }
  return { analytics, ...totals(rows, requestsThisMonth) }
}

async function readBuckets(
  db: Queryable,
  accountId: number,
  range: UsageRange,
  keyId: number | null,
): Promise<BucketRow[]> {
  const { unit, count } = shapes[range]
  const { rows } = await sql<BucketRow>`
    select key_id, date_trunc(${unit}, hour, 'UTC') as time, sum(success)::bigint as success, sum(failed)::bigint as failed
    from usage_hourly
    where account_id = ${accountId} and (${keyId}::bigint is null or key_id = ${keyId})
      and hour >= date_trunc(${unit}, (select app_now()), 'UTC') - ${count - 1}::int * ${`1 ${unit}`}::interval
    group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

async function countThisMonth(db: Queryable, accountId: number, keyId: number | null): Promise<number> {
  const { rows } = await sql<{ requests: number }>`
    select coalesce(sum(success + failed), 0)::bigint as requests from usage_hourly
    where account_id = ${accountId} and (${keyId}::bigint is null or key_id = ${keyId})
      and hour >= date_trunc('month', (select app_now()), 'UTC')`.execute(db)
  return rows[0]?.requests ?? 0
}

const toBucket = ({ time, success, failed }: BucketRow) => ({ time: time.toISOString(), success, failed })

const requestsOf = (data: { success: number; failed: number }[]): number =>
  data.reduce((sum, { success, failed }) => sum + success + failed, 0)

function totals(rows: BucketRow[], requestsThisMonth: number): UsageTotals {
  const totalRequests = requestsOf(rows)
  const successfulRequests = rows.reduce((sum, { success }) => sum + success, 0)
  return {
    totalRequests,
    successfulRequests,
    failedRequests: totalRequests - successfulRequests,
    avgSuccessRate: totalRequests === 0 ? 0 : (successfulRequests / totalRequests) * 100,
    requestsThisMonth,
  }
}
