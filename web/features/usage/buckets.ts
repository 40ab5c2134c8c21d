import type { KeyAnalytics, UsageRange, UsageTotals } from '#contract/usage.ts'

export interface Bucket {
  /** Start of the hour or day, UTC. */
  start: Date
  success: number
  failed: number
  refused: number
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

/** Some keys combined, and what was refused: one bucket per hour or day of the range until now, empty ones included, oldest first. */
export function toBuckets(
  analytics: KeyAnalytics[],
  refusals: UsageTotals['refusals'],
  range: UsageRange,
  now: Date,
): Bucket[] {
  const { stepMs, count } = shape[range]
  const last = Math.floor(now.getTime() / stepMs) * stepMs
  const first = last - (count - 1) * stepMs
  const buckets = Array.from(
    { length: count },
    (_, index): Bucket => ({ start: new Date(first + index * stepMs), success: 0, failed: 0, refused: 0 }),
  )
  const at = (time: string) => buckets[Math.floor((new Date(time).getTime() - first) / stepMs)]
  for (const { time, success, failed } of analytics.flatMap(({ data }) => data)) {
    const bucket = at(time)
    if (!bucket) continue
    bucket.success += success
    bucket.failed += failed
  }
  for (const { time, refused } of refusals) {
    const bucket = at(time)
    if (bucket) bucket.refused += refused
  }
  return buckets
}

/** The buckets as CSV with a header; times are ISO 8601 in UTC. */
export function toCsv(buckets: Bucket[]): string {
  return [
    'time,success,failed,refused',
    ...buckets.map(({ start, success, failed, refused }) => `${start.toISOString()},${success},${failed},${refused}`),
  ]
    .join('\n')
    .concat('\n')
}
