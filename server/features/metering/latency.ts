/**
 * Durations are counted in buckets, so that percentiles of any range come from sums: 0 to 7 ms each their own bucket, then
 * four to a doubling, up to 65,536 ms and beyond. `latency_bucket` in migration 0021 draws the same lines; a test holds
 * both beside each other.
 */
const LAST = 60

/** The bucket of a duration in whole milliseconds, from 0. */
export function latencyBucket(ms: number): number {
  if (ms < 4) return ms
  const octave = 31 - Math.clz32(ms)
  return octave > 15 ? LAST : 4 + (octave - 2) * 4 + ((ms >> (octave - 2)) & 3)
}

/** The longest duration that a bucket holds, in ms; the last bucket has no end and answers its beginning. */
export function longestOf(bucket: number): number {
  return bucket === LAST ? shortestOf(LAST) : shortestOf(bucket + 1) - 1
}

function shortestOf(bucket: number): number {
  if (bucket < 4) return bucket
  const octave = Math.floor((bucket - 4) / 4)
  return (4 + ((bucket - 4) % 4)) << octave
}

/**
 * A percentile (0 to 1, by nearest rank) of durations that are counted by bucket: the longest duration of the bucket in
 * which it lies. Never less than the exact value, and less than a quarter more. Null without calls.
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
