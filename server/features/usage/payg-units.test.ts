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
