import { type RawBuilder, sql } from 'kysely'
import type { KeyAnalytics, ToolShares, Usage, UsageRange, UsageTotals } from '#contract/usage.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { findOwnKey } from '../keys/get.ts'
import { keyNames } from '../keys/list.ts'
import { recentByTool } from './by-tool.ts'
import { describeKey } from './describe-key.ts'
import { readLatency } from './latency.ts'
import { readPrevious } from './previous.ts'
import { durationsOf, sumsOf } from './sums-of.ts'

const TOP_KEYS = 5

interface BucketRow {
  key_id: number
  time: Date
  success: number
  failed: number
  refused: number
}

/** Usage of all keys, including deleted ones and the playground, from sums that the commit keeps exact. */
export async function readUsage({ actor, deps }: UserContext, range: UsageRange): Promise<Usage> {
  const db = deps.db.of(actor.bucket).kysely
  const [rows, requestsThisMonth, latency, previous, names] = await Promise.all([
    readBuckets(db, sumsOf(range, actor.accountId, null)),
    countThisMonth(db, actor.accountId, null),
    readLatency(db, durationsOf(range, actor.accountId, null)),
    readPrevious(db, actor.accountId, range),
    keyNames(db, actor.accountId),
  ])
  const byKey = Map.groupBy(rows, (row) => row.key_id)
  const called = [...byKey].filter(([, keyRows]) => keyRows.some(hasCalls))
  const analytics = called.map(([keyId, keyRows]): KeyAnalytics => {
    const { publicId, name } = describeKey(keyId === 0 ? null : keyId, names)
    return { unkeyId: publicId, keyName: name, data: toData(keyRows) }
  })
  const topApiKeys = analytics
    .map(({ unkeyId, keyName, data }) => ({ keyId: unkeyId, name: keyName, requests: requestsOf(data) }))
    .sort((a, b) => b.requests - a.requests)
    .slice(0, TOP_KEYS)
  return { analytics, ...totals(rows, requestsThisMonth), latency, previous, topApiKeys }
}

/** Usage of one live key. Throws not_found, also for another account's key. */
export async function readKeyAnalytics(
  { actor, deps }: UserContext,
  publicId: string,
  range: UsageRange,
): Promise<UsageTotals & { analytics: KeyAnalytics; recent: ToolShares }> {
  const db = deps.db.of(actor.bucket).kysely
  const { keyId, name } = await findOwnKey(db, actor.accountId, publicId)
  const [rows, requestsThisMonth, latency, { since, tools }] = await Promise.all([
    readBuckets(db, sumsOf(range, actor.accountId, keyId)),
    countThisMonth(db, actor.accountId, keyId),
    readLatency(db, durationsOf(range, actor.accountId, keyId)),
    recentByTool(db, actor.accountId, keyId),
  ])
  const analytics = { unkeyId: publicId.toLowerCase(), keyName: name, data: toData(rows) }
  const catalog = deps.tools.current()
  const named = tools.map(({ toolId, ...sums }) => ({ tool: catalog.nameOf(toolId) ?? `tool ${toolId}`, ...sums }))
  const recent = { since: since.toISOString(), tools: named }
  return { analytics, ...totals(rows, requestsThisMonth), latency, recent }
}

async function readBuckets(db: Queryable, sums: RawBuilder<unknown>): Promise<BucketRow[]> {
  const { rows } = await sql<BucketRow>`
    select key_id, time, sum(success)::bigint as success, sum(failed)::bigint as failed, sum(refused)::bigint as refused
    from (${sums}) s group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

async function countThisMonth(db: Queryable, accountId: number, keyId: number | null): Promise<number> {
  const { rows } = await sql<{ requests: number }>`
    select coalesce(sum(success + failed), 0)::bigint as requests from usage_by_day
    where account_id = ${accountId} ${keyId === null ? sql`` : sql`and key_id = ${keyId}`}
      and day >= date_trunc('month', (select app_now()) at time zone 'UTC')::date`.execute(db)
  return rows[0]?.requests ?? 0
}

const hasCalls = ({ success, failed }: BucketRow): boolean => success + failed > 0

const toData = (rows: BucketRow[]): KeyAnalytics['data'] =>
  rows.filter(hasCalls).map(({ time, success, failed }) => ({ time: time.toISOString(), success, failed }))

function refusalsOf(rows: BucketRow[]): UsageTotals['refusals'] {
  const sums = new Map<number, number>()
  for (const { time, refused } of rows)
    if (refused > 0) sums.set(time.getTime(), (sums.get(time.getTime()) ?? 0) + refused)
  return [...sums].sort(([a], [b]) => a - b).map(([ms, refused]) => ({ time: new Date(ms).toISOString(), refused }))
}

const requestsOf = (data: { success: number; failed: number }[]): number =>
  data.reduce((sum, { success, failed }) => sum + success + failed, 0)

function totals(rows: BucketRow[], requestsThisMonth: number): Omit<UsageTotals, 'latency'> {
  const totalRequests = requestsOf(rows)
  const successfulRequests = rows.reduce((sum, { success }) => sum + success, 0)
  return {
    totalRequests,
    successfulRequests,
    failedRequests: totalRequests - successfulRequests,
    refusedRequests: rows.reduce((sum, { refused }) => sum + refused, 0),
    refusals: refusalsOf(rows),
    avgSuccessRate: totalRequests === 0 ? 0 : (successfulRequests / totalRequests) * 100,
    requestsThisMonth,
  }
}
