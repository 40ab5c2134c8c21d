import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { bringUpBucket } from './bring-up-bucket.ts'
import { bucketSchema, searchPathOf } from './bucket-schema.ts'
import { makeBucket } from './make-bucket.ts'
import { migrate, readSchema } from './migrate.ts'
import { describeSchema } from './testing/describe-schema.ts'
import { createEmptyDatabase } from './testing/empty-database.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())
const rows = async (text: string) => (await database.db.pool.query(text)).rows

test('a bucket has a schema of at least two digits, found before public', () => {
  expect([0, 7, 31, 100].map(bucketSchema)).toEqual(['m00', 'm07', 'm31', 'm100'])
  expect(searchPathOf(7)).toBe('m07, public')
})

test('each bucket has the same structure, and a second attempt changes nothing', async () => {
  await makeBucket(database.db, 1)
  await makeBucket(database.db, 1)
  const structure = async (id: number) =>
    (await describeSchema(database.db, [bucketSchema(id)])).map((line) => line.replace(/\bm0\d(\.|\b)/g, '')).sort()
  expect(await structure(1)).toEqual(await structure(0))
  expect((await structure(1)).length).toBeGreaterThan(150)
  expect(await rows('select id from buckets order by id')).toEqual([{ id: 0 }, { id: 1 }])
  expect(await rows('select bucket, count(*)::int as migrations from bucket_migrations group by 1 order by 1')).toEqual(
    [
      { bucket: 0, migrations: 10 },
      { bucket: 1, migrations: 10 },
    ],
  )
  expect(await migrate(database.db)).toEqual([])
})

test('no bucket has a foreign key outward or a trigger, and its functions find it by themselves', async () => {
  await makeBucket(database.db, 1)
  expect(
    await rows(`select conname from pg_constraint o join pg_class f on f.oid = o.confrelid join pg_class c on c.oid = o.conrelid
      where (c.relnamespace::regnamespace::text ~ '^m\\d') and f.relnamespace <> c.relnamespace`),
  ).toEqual([])
  expect(
    await rows(`select tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace::regnamespace::text ~ '^m\\d' and not tgisinternal`),
  ).toEqual([])
  await database.db.pool.query(`insert into m01.credit_accounts (account_id) values (7);
    select m01.credit_grant(7, 'topup', 50::smallint, 5, 'test', 'one', null, null), m01.usage_fold(), m01.usage_partition_create('2020-01-01')`)
  expect(await rows('select account_id, balance from metering.credit_accounts')).toEqual([
    { account_id: 7, balance: 5 },
  ])
  expect(await rows('select * from m00.credit_grants')).toEqual([])
  expect(
    await rows(
      `select to_regclass('m01.usage_events_20200101')::text as made, to_regclass('m00.usage_events_20200101') as other`,
    ),
  ).toEqual([{ made: 'm01.usage_events_20200101', other: null }])
})

test('a later migration of a bucket leaves its functions their search path, and its views get the new column', async () => {
  const { buckets } = await readSchema()
  const later = {
    name: '0009_later',
    text: '-- needs: usage_partition\nalter table usage_reports add column later int',
  }
  const parts = { ...buckets, migrations: [...buckets.migrations, later] }
  const bringUp = (id: number) => database.db.kysely.transaction().execute((tx) => bringUpBucket(tx, id, parts))
  const columns = async () =>
    (await rows(`select from pg_attribute where attrelid = 'metering.usage_reports'::regclass and attname = 'later'`))
      .length
  await makeBucket(database.db, 1)
  expect([await bringUp(0), await columns()]).toEqual([['m00/0009_later'], 0])
  expect([await bringUp(1), await columns()]).toEqual([['m01/0009_later'], 1])
  expect(
    await rows(`select proname from pg_proc where pronamespace::regnamespace::text ~ '^m\\d' and proconfig is null`),
  ).toEqual([])
})

test('a view over all buckets has what the tables have, and with one bucket can be written through', async () => {
  await database.db.pool.query(`insert into credit_accounts (account_id) values (1);
    update metering.credit_accounts set balance = 3, unlimited = true`)
  expect(await rows('select balance, unlimited from credit_accounts')).toEqual([{ balance: 3, unlimited: true }])
  await makeBucket(database.db, 1)
  await database.db.pool.query('insert into m01.credit_accounts (account_id) values (2)')
  expect(await rows('select account_id from metering.credit_accounts order by 1')).toEqual([
    { account_id: 1 },
    { account_id: 2 },
  ])
})

test('a new database gets as many buckets as it is asked for, and goes on where it was interrupted', async () => {
  const empty = await createEmptyDatabase()
  try {
    await migrate(empty.db, { buckets: 3 })
    const made = async () =>
      (
        await empty.db.pool.query<{ name: string }>(
          `select nspname as name from pg_namespace where nspname ~ '^m\\d' order by 1`,
        )
      ).rows.map(({ name }) => name)
    expect(await made()).toEqual(['m00', 'm01', 'm02'])
    await empty.db.pool.query(
      `drop schema m02 cascade; delete from bucket_migrations where bucket = 2; delete from applied_functions where file ~ '^m02'`,
    )
    expect((await migrate(empty.db)).slice(0, 2)).toEqual(['m02/0001_metering', 'm02/0002_usage'])
    expect(await made()).toEqual(['m00', 'm01', 'm02'])
    expect(await migrate(empty.db)).toEqual([])
  } finally {
    await empty.drop()
  }
})

test('a bucket is not made by a release that is older than the others', async () => {
  await database.db.pool.query(
    `insert into bucket_migrations (bucket, name) values (0, '9999_later'); update schema_release set serves_from = 0`,
  )
  await expect(makeBucket(database.db, 1)).rejects.toThrow(
    'A newer release has migrated this database (bucket m00 has 9999_later): make buckets with that release.',
  )
})

test('a bucket has a whole number', async () => {
  for (const id of [-1, 0.5, 10_000])
    await expect(makeBucket(database.db, id)).rejects.toThrow(`from 0 to 9999, not ${id}.`)
})
