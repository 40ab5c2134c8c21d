import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/harness.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { createEmptyDatabase } from './testing/empty-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('a migrated database has nothing left to migrate', async () => {
  expect(await migrate(database.db)).toEqual([])
})

test('instances that start together migrate once', async () => {
  const empty = await createEmptyDatabase()
  const others = await Promise.all(
    [1, 2, 3].map(async () => {
      const db = openDatabase(empty.url, 4, () => {})
      const applied = await migrate(db)
      await db.close()
      return applied.length
    }),
  )
  await empty.drop()
  expect(others.filter((applied) => applied > 0)).toHaveLength(1)
})

test('app_now() follows the test clock and nothing else', async () => {
  const read = async () =>
    (await sql<{ now: Date }>`select app_now() as now`.execute(database.db.kysely)).rows[0]!.now.getTime()
  expect(Math.abs((await read()) - Date.now())).toBeLessThan(60_000)
  await sql`insert into app_clock (offset_by) values (interval '400 days')`.execute(database.db.kysely)
  expect((await read()) - Date.now()).toBeGreaterThan(399 * 86_400_000)
})

test('a file that is ordered before applied ones is refused', async () => {
  const others = await mkdtemp(join(tmpdir(), 'finmeter-migrations-'))
  const empty = await createEmptyDatabase()
  try {
    await writeFile(join(others, '0001_first.sql'), 'create table first (n int)')
    await writeFile(join(others, '0003_third.sql'), 'create table third (n int)')
    await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null);
      insert into kysely_migration values ('0001_first', '2026-01-01T00:00:00.000Z'), ('0003_third', '2026-01-01T00:00:00.000Z')`.execute(
      empty.db.kysely,
    )
    await writeFile(join(others, '0002_second.sql'), 'create table second (n int)')
    await expect(migrate(empty.db, others)).rejects.toThrow('expected previously executed migration 0003_third')
  } finally {
    await rm(others, { recursive: true })
    await empty.drop()
  }
})

test('a database with a migration of a newer release is refused, by name', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '2026-01-01T00:00:00.000Z')`.execute(
    database.db.kysely,
  )
  await expect(migrate(database.db)).rejects.toThrow(
    'The database cannot be used: a newer release of Finmeter has migrated it (9999_later is unknown here). Start that release or a later one.',
  )
})
