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

/** What is counted of each call that was sent: two additions and its milliseconds in a histogram of whole ones. */
export interface CountedCalls {
  calls: number
  failed: number
  /** Calls by whole milliseconds. */
  byMs: Map<number, number>
  since: string
}

/** The figures of what was counted, computed when they are read. */
export function figuresOf({ calls, failed, byMs, since }: CountedCalls): CallFigures {
  const durations = new Map<number, number>()
  for (const [ms, count] of byMs) {
    const bucket = latencyBucket(ms)
    durations.set(bucket, (durations.get(bucket) ?? 0) + count)
  }
  return { calls, failed, p50Ms: percentile(durations, 0.5), p95Ms: percentile(durations, 0.95), since }
}
