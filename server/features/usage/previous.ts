import { sql } from 'kysely'
import type { PreviousUsage, UsageRange } from '#contract/usage.ts'
import type { Queryable } from '../../db/database.ts'
import { readLatency } from './latency.ts'
import { durationsBefore, firstCall, startBefore, sumsBefore } from './sums-of.ts'

/** The totals of the previous range; null if the account made its first call after that range started. */
export async function readPrevious(db: Queryable, accountId: number, range: UsageRange): Promise<PreviousUsage | null> {
  const [{ rows }, latency] = await Promise.all([
    sql<{ success: number; failed: number; covered: boolean | null }>`
      select coalesce(sum(success), 0)::bigint as success, coalesce(sum(failed), 0)::bigint as failed,
        ${firstCall(range, accountId)} <= ${startBefore(range)} as covered
      from (${sumsBefore(range, accountId)}) s`.execute(db),
    readLatency(db, durationsBefore(range, accountId)),
  ])
  const { success, failed, covered } = rows[0]!
  if (!covered) return null
  const totalRequests = success + failed
  return { totalRequests, avgSuccessRate: totalRequests === 0 ? 0 : (success / totalRequests) * 100, latency }
}
