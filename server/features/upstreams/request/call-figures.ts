import { latencyBucket, percentile } from '../../metering/latency.ts'

/** What one server's calls of a version were like, since it began to serve that. */
export interface CallFigures {
  calls: number
  /** Without a usable response. */
  failed: number
  p50Ms: number | null
  p95Ms: number | null
  /** UTC. */
  since: string
}

/** Counts in memory, of calls that were sent: two clock readings and three additions for each. */
export function createCallFigures() {
  const durations = new Map<number, number>()
  const since = new Date().toISOString()
  let calls = 0
  let failed = 0
  return {
    note(ms: number, isGood: boolean): void {
      calls++
      if (!isGood) failed++
      const bucket = latencyBucket(Math.round(ms))
      durations.set(bucket, (durations.get(bucket) ?? 0) + 1)
    },
    read: (): CallFigures => ({
      calls,
      failed,
      p50Ms: percentile(durations, 0.5),
      p95Ms: percentile(durations, 0.95),
      since,
    }),
  }
}
