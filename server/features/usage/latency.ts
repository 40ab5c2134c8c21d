import { type RawBuilder, sql } from 'kysely'
import type { Latency } from '#contract/usage.ts'
import type { Queryable } from '../../db/database.ts'
import { percentile } from '../metering/latency.ts'

/** Percentiles of `durations` (bucket, calls), in ms; null without calls. */
export async function readLatency(db: Queryable, durations: RawBuilder<unknown>): Promise<Latency | null> {
  const { rows } = await sql<{ bucket: number; calls: number }>`
    select bucket, sum(calls)::bigint as calls from (${durations}) d group by 1`.execute(db)
  const calls = new Map(rows.map((row) => [row.bucket, row.calls]))
  const p50 = percentile(calls, 0.5)
  if (p50 === null) return null
  return { p50, p95: percentile(calls, 0.95)!, p99: percentile(calls, 0.99)! }
}
