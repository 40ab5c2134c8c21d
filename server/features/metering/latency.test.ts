import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { latencyBucket, longestOf, percentile } from './latency.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

/** By nearest rank, from the durations themselves. */
const exactly = (durations: number[], fraction: number): number =>
  durations.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(durations.length * fraction)) - 1]!

const counted = (durations: number[]): Map<number, number> => {
  const calls = new Map<number, number>()
  for (const ms of durations) calls.set(latencyBucket(ms), (calls.get(latencyBucket(ms)) ?? 0) + 1)
  return calls
}

test('the server and the database use the same buckets', async () => {
  const { rows } = await database.db.pool.query<{ ms: number; bucket: number }>(
    'select ms, latency_bucket(ms) as bucket from (select generate_series(0, 70000) union all select 2147483647) d(ms)',
  )
  expect(rows).toHaveLength(70_002)
  expect(rows.filter(({ ms, bucket }) => bucket !== latencyBucket(ms))).toEqual([])
})

test('0 to 7 ms are exact; 8 and 9 share a bucket; nothing is longer than the last one', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7].map((ms) => longestOf(latencyBucket(ms)))).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect([8, 9, 10, 100, 1_000, 10_000].map((ms) => longestOf(latencyBucket(ms)))).toEqual([
    9, 9, 11, 111, 1_023, 10_239,
  ])
  expect([65_536, 9_999_999].map((ms) => longestOf(latencyBucket(ms)))).toEqual([65_536, 65_536])
})

test('a percentile is at least the exact one, and at most 25 percent above it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat(20), fc.nat(2_000), fc.nat(65_000)), { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0, 0.5, 0.95, 0.99, 1),
      (durations, fraction) => {
        const exact = exactly(durations, fraction)
        const shown = percentile(counted(durations), fraction)!
        expect(shown).toBeGreaterThanOrEqual(exact)
        expect(shown).toBeLessThan(Math.max(exact + 1, exact * 1.25))
      },
    ),
    { numRuns: 500 },
  )
})

test('histograms of any hours and keys add up to the one of all their calls', () => {
  const parts = [
    [1, 5, 9],
    [9, 300],
    [4_000, 0, 0, 0],
  ]
  const merged = new Map<number, number>()
  for (const part of parts)
    for (const [bucket, calls] of counted(part)) merged.set(bucket, (merged.get(bucket) ?? 0) + calls)
  expect(merged).toEqual(counted(parts.flat()))
  expect(percentile(merged, 0.5)).toBe(5)
})

test('without calls there is no percentile', () => {
  expect(percentile(new Map(), 0.5)).toBeNull()
})
