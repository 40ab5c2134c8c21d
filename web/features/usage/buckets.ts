import type { KeyAnalytics, UsageRange } from '#contract/usage.ts'

export interface Bucket {
  /** Start of the hour or day, UTC. */
  start: Date
  success: number
  failed: number
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const shape: Record<UsageRange, { stepMs: number; count: number }> = {
  '24h': { stepMs: hourMs, count: 24 },
  '7d': { stepMs: dayMs, count: 7 },
  '30d': { stepMs: dayMs, count: 30 },
  '90d': { stepMs: dayMs, count: 90 },
}

export const isHourly = (range: UsageRange) => shape[range].stepMs === hourMs

/** All keys combined: one bucket per hour or day of the range until now, empty ones included, oldest first. */
export function toBuckets(analytics: KeyAnalytics[], range: UsageRange, now: Date): Bucket[] {
  const { stepMs, count } = shape[range]
  const last = Math.floor(now.getTime() / stepMs) * stepMs
  const first = last - (count - 1) * stepMs
  const buckets = Array.from(
    { length: count },
    (_, index): Bucket => ({ start: new Date(first + index * stepMs), success: 0, failed: 0 }),
  )
  for (const { data } of analytics) {
    for (const { time, success, failed } of data) {
      const bucket = buckets[Math.floor((new Date(time).getTime() - first) / stepMs)]
      if (!bucket) continue
      bucket.success += success
      bucket.failed += failed
    }
  }
  return buckets
}

/** The buckets as CSV with a header; times are ISO 8601 in UTC. */
export function toCsv(buckets: Bucket[]): string {
  return [
    'time,success,failed',
    ...buckets.map(({ start, success, failed }) => `${start.toISOString()},${success},${failed}`),
  ]
    .join('\n')
    .concat('\n')
}
