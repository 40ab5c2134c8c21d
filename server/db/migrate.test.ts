import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/harness.ts'
import { openDatabase } from './database.ts'
import { migrate, migrationsFolder } from './migrate.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('a migrated database has nothing left to migrate', async () => {
  expect(await migrate(database.db)).toEqual([])
})

test('instances that start together migrate once', async () => {
  await sql`drop schema public cascade; create schema public; drop schema if exists auth cascade`.execute(
    database.db.kysely,
  )
  const others = await Promise.all(
    [1, 2, 3].map(async () => {
      const db = openDatabase(database.url, 4, () => {})
      const applied = await migrate(db)
      await db.close()
      return applied.length
    }),
  )
  expect(others.filter((applied) => applied > 0)).toHaveLength(1)
})

test('app_now() follows the test clock and nothing else', async () => {
  const read = async () =>
    (await sql<{ now: Date }>`select app_now() as now`.execute(database.db.kysely)).rows[0]!.now.getTime()
  expect(Math.abs((await read()) - Date.now())).toBeLessThan(60_000)
  await sql`insert into app_clock (offset_by) values (interval '400 days')`.execute(database.db.kysely)
  expect((await read()) - Date.now()).toBeGreaterThan(399 * 86_400_000)
})

test('a file that stands before applied ones is applied to an older database', async () => {
  const older = await mkdtemp(join(tmpdir(), 'finmeter-migrations-'))
  const empty = await createTestDatabase()
  try {
    await cp(migrationsFolder, older, { recursive: true, filter: (path) => !path.endsWith('0022_holds.sql') })
    await sql`drop schema public cascade; create schema public; drop schema if exists auth cascade`.execute(
      empty.db.kysely,
    )
    expect(await migrate(empty.db, older)).not.toContain('0022_holds')
    expect(await migrate(empty.db)).toEqual(['0022_holds'])
  } finally {
    await rm(older, { recursive: true })
    await empty.drop()
  }
})
