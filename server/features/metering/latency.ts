/**
 * Durations are counted in buckets, so that percentiles of any range come from sums: one bucket per millisecond from 0
 * to 7 ms, then four per doubling up to 65,536 ms, and one beyond. `latency_bucket` in
 * server/db/functions/latency_bucket.sql uses the same boundaries; a test compares both.
 */
const LAST = 60

/** The bucket of a duration in whole milliseconds, from 0. */
export function latencyBucket(ms: number): number {
  if (ms < 4) return ms
  const octave = 31 - Math.clz32(ms)
  return octave > 15 ? LAST : 4 + (octave - 2) * 4 + ((ms >> (octave - 2)) & 3)
}

/** The longest duration in a bucket, in ms. The last bucket is open-ended and returns its start. */
export function longestOf(bucket: number): number {
  return bucket === LAST ? shortestOf(LAST) : shortestOf(bucket + 1) - 1
}

function shortestOf(bucket: number): number {
  if (bucket < 4) return bucket
  const octave = Math.floor((bucket - 4) / 4)
  return (4 + ((bucket - 4) % 4)) << octave
}

/**
 * A percentile (0 to 1, nearest rank) of bucketed durations: the upper end of the bucket that contains it. At least the
 * exact value, and at most 25 percent above it. Null without calls.
 */
export function percentile(calls: ReadonlyMap<number, number>, fraction: number): number | null {
  const total = [...calls.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = Math.max(1, Math.ceil(total * fraction))
  for (const bucket of [...calls.keys()].sort((a, b) => a - b)) {
    left -= calls.get(bucket)!
    if (left <= 0) return longestOf(bucket)
  }
  throw new Error('The counts do not add up.')
}
