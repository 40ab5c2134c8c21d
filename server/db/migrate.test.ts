import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { createTestDatabase, type TestDatabase } from '../testing/harness.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate, requireMigrated } from './migrate.ts'
import { withSchemaLock } from './schema-lock.ts'
import { releaseNumber } from './schema-release.ts'
import { describeSchema } from './testing/describe-schema.ts'
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

test('the clock is moved while its row is there, however the row goes, and never reads it', async () => {
  const { pool } = database.db
  const clock = async () =>
    (await pool.query(`select trim(prosrc) as source from pg_proc where proname = 'app_now'`)).rows[0].source
  const ways = [
    'delete from app_clock',
    'begin; set local session_replication_role = replica; truncate app_clock; commit',
  ]
  for (const way of ways) {
    await pool.query(
      `insert into app_clock (offset_by) values ('1 day') on conflict (only_row) do update set offset_by = excluded.offset_by`,
    )
    expect(await clock()).toBe("select clock_timestamp() + interval '1 day'")
    await pool.query(way)
    expect(await clock()).toBe('select clock_timestamp()')
  }
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
    await expect(migrate(empty.db, { folder: others })).rejects.toThrow(
      'expected previously executed migration 0003_third',
    )
  } finally {
    await rm(others, { recursive: true })
    await empty.drop()
  }
})

describe('a database that a newer release has migrated', () => {
  const migratedBy = async (db: Database, release: number, servesFrom: number) => {
    await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '2026-01-01T00:00:00.000Z');
      update schema_release set release = ${sql.lit(release)}, serves_from = ${sql.lit(servesFrom)};
      update applied_functions set release = ${sql.lit(release)}, sha256 = 'of the newer release'`.execute(db.kysely)
  }

  test('is served by the release before, which changes nothing', async () => {
    await migratedBy(database.db, 900_000_000, releaseNumber(packageJson.version))
    expect(await migrate(database.db)).toEqual([])
    await requireMigrated(database.db)
    const { rows } = await sql<{ texts: string[] }>`
      select array_agg(distinct sha256) as texts from applied_functions`.execute(database.db.kysely)
    expect(rows[0]?.texts).toEqual(['of the newer release'])
  })

  test('is refused by one too old for it, naming the release that is needed', async () => {
    await sql`delete from kysely_migration where name = '9999_later'`.execute(database.db.kysely)
    await migratedBy(database.db, 900_002_003, 900_001_000)
    const refusal = `The database cannot be used: Finmeter 900.2.3 has migrated it, and ${packageJson.version} no longer works on it. Start Finmeter 900.1.0 or later, or restore a backup made before that.`
    await expect(migrate(database.db)).rejects.toThrow(refusal)
    await expect(requireMigrated(database.db)).rejects.toThrow(refusal)
  })

  test('is refused by name if it says nothing about itself', async () => {
    await sql`drop table schema_release`.execute(database.db.kysely)
    await expect(migrate(database.db)).rejects.toThrow(
      'The database cannot be used: a newer release of Finmeter has migrated it (9999_later is unknown here). Start that release or a later one.',
    )
  })
})

describe('a database that is behind', () => {
  let behind: TestDatabase
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'finmeter-migrations-'))
    behind = await createTestDatabase()
  })
  afterEach(async () => {
    await behind.drop()
    await rm(folder, { recursive: true })
  })
  const released = join(import.meta.dirname, 'migrations')
  const addMigration = async (text: string) => {
    await cp(released, folder, { recursive: true })
    await writeFile(join(folder, '9998_next.sql'), text)
  }

  test('is told to those who only look, and stays as it is', async () => {
    await sql`delete from kysely_migration where name = '0013_webauthn_factors'`.execute(behind.db.kysely)
    await sql`update applied_functions set sha256 = '' where file = 'app_now'`.execute(behind.db.kysely)
    await expect(requireMigrated(behind.db)).rejects.toThrow(
      `The database is behind release ${packageJson.version} (0013_webauthn_factors and 1 more): run npm run migrate.`,
    )
    const empty = await createEmptyDatabase()
    await expect(requireMigrated(empty.db)).rejects.toThrow(
      'The database is empty: run npm run migrate, or start the server once.',
    )
    expect(await describeSchema(empty.db)).toEqual([])
    await empty.drop()
  })

  test('gets changed functions without a migration', async () => {
    await sql`update applied_functions set sha256 = '' where file = 'app_now'`.execute(behind.db.kysely)
    expect(await migrate(behind.db)).toEqual(['app_now'])
    await requireMigrated(behind.db)
  })

  test('waits for a backup, and backups wait for it', async () => {
    await addMigration('create table next (n int)')
    const order: string[] = []
    let end = () => {}
    const ended = new Promise<void>((done) => {
      end = done
    })
    let begun = () => {}
    const copying = new Promise<void>((done) => {
      begun = done
    })
    const backup = withSchemaLock(behind.db, 'backup', async () => {
      begun()
      await ended
      order.push('backup')
    })
    await copying
    const migrating = migrate(behind.db, { folder }).then((applied) => order.push(`${applied}`))
    await expect
      .poll(
        async () =>
          (
            await behind.db.pool.query(
              `select from pg_locks where locktype = 'advisory' and not granted
                 and database = (select oid from pg_database where datname = current_database())`,
            )
          ).rowCount,
      )
      .toBe(1)
    end()
    await Promise.all([backup, migrating])
    expect(order).toEqual(['backup', '9998_next'])
  })

  test('does not hold up calls behind a table that is in use for long: it steps back and tries again', async () => {
    await addMigration('alter table tools add column next int')
    const reader = await behind.db.pool.connect()
    await reader.query('begin; select from tools')
    const migrating = migrate(behind.db, { folder })
    // It starts while the migration waits, and gets its turn once the migration gives way.
    await expect
      .poll(
        async () =>
          (await behind.db.pool.query(`select from pg_locks where relation = 'tools'::regclass and not granted`))
            .rowCount,
      )
      .toBe(1)
    await behind.db.pool.query('select from tools')
    await reader.query('commit')
    reader.release()
    expect(await migrating).toEqual(['9998_next'])
  })

  test('a contract step moves the oldest release that may serve', async () => {
    await addMigration('-- contract: 0.2.0\nalter table tools drop column name')
    await migrate(behind.db, { folder })
    const read = async () =>
      (await sql<{ serves_from: number }>`select serves_from from schema_release`.execute(behind.db.kysely)).rows[0]
    expect(await read()).toEqual({ serves_from: 2_000 })
    await writeFile(join(folder, '9999_last.sql'), '-- contract: 0.7.1\ncreate table last (n int)')
    await migrate(behind.db, { folder })
    expect(await read()).toEqual({ serves_from: 7_001 })
  })

  test('is refused while a restore into it has not finished', async () => {
    await sql`create table restore_in_progress ()`.execute(behind.db.kysely)
    const refusal =
      'The database cannot be used: a restore into it is not finished. Wait until it is, or restore into an empty database.'
    await expect(migrate(behind.db)).rejects.toThrow(refusal)
    await expect(requireMigrated(behind.db)).rejects.toThrow(refusal)
  })
})
