import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAccount } from '#server/testing/factories.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { sumPaygUnits } from './payg-units.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('each hour belongs to one period: the first one to that of its start, the last one to the next', async () => {
  const { db } = database
  const accountId = await insertAccount(db)
  for (const [hour, units] of [
    ['2026-03-01T08:00:00Z', 1],
    ['2026-03-01T09:00:00Z', 10],
    ['2026-03-31T23:00:00Z', 100],
    ['2026-04-01T00:00:00Z', 1000],
  ])
    await db.pool.query(
      `insert into usage_hourly (account_id, key_id, hour, success, failed, refused, from_credits, from_payg)
       values ($1, 0, $2, 1, 0, 0, 0, $3)`,
      [accountId, hour, units],
    )
  const since = new Date('2026-03-01T09:30:00Z')
  const next = new Date('2026-04-01T00:00:00Z')
  const later = new Date('2026-05-01T00:00:00Z')
  expect(await sumPaygUnits(db.kysely, accountId, { since, from: since, to: next })).toBe(110)
  expect(await sumPaygUnits(db.kysely, accountId, { since, from: next, to: later })).toBe(1000)
})

test('any hours of two accounts count for the periods that the model says', async () => {
  const { db } = database
  const HOUR = 3_600_000
  const start = Date.parse('2027-02-28T20:00Z')
  /** Times around the turn of a month, at full hours and between them. */
  const time = fc
    .tuple(fc.nat(9), fc.constantFrom(0, 0, 1, HOUR / 2, HOUR - 1))
    .map(([hour, ms]) => start + hour * HOUR + ms)
  const hours = fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(hours, hours, fc.tuple(time, time, time), async (own, others, times) => {
      const [since, from, to] = times.sort((a, b) => a - b) as [number, number, number]
      const [accountId, other] = [await insertAccount(db), await insertAccount(db)]
      for (const [id, used] of [
        [accountId, own],
        [other, others],
      ] as const)
        await db.pool.query(
          `insert into usage_hourly (account_id, key_id, hour, success, failed, refused, from_credits, from_payg)
           select $1, k, to_timestamp($2 + h * 3600), 1, 0, 0, 1000, power(2, h) from unnest($3::int[]) h, generate_series(1, 2) k`,
          [id, start / 1_000, used],
        )
      const counted = own.filter((hour) => {
        const at = start + hour * HOUR
        // The hour in which the subscription began counts from then on.
        const begins = Math.max(at, since)
        return at + HOUR > since && begins >= from && begins < to
      })
      const period = { since: new Date(since), from: new Date(from), to: new Date(to) }
      expect(await sumPaygUnits(db.kysely, accountId, period)).toBe(
        counted.reduce((sum, hour) => sum + 2 * 2 ** hour, 0),
      )
    }),
  )
})
