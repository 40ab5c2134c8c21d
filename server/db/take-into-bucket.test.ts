import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TestDatabase } from '#server/testing/harness.ts'
import { checkInvariants } from '../features/metering/invariants.ts'
import { openDatabase } from './database.ts'
import { makeBucket } from './make-bucket.ts'
import { migrate } from './migrate.ts'
import { createEmptyDatabase } from './testing/empty-database.ts'

let old: TestDatabase
/** A session of a server of the release before: it has PostgreSQL's own search path. */
let earlier: pg.Client
beforeEach(async () => {
  old = await createEmptyDatabase()
  const client = new pg.Client({ connectionString: old.url })
  await client.connect()
  await client.query(await readFile(join(import.meta.dirname, 'fixtures/release-0.1.0.sql'), 'utf8'))
  await client.end()
  earlier = new pg.Client({ connectionString: old.url })
  await earlier.connect()
})
afterEach(async () => {
  await earlier.end()
  await old.drop()
})
const read = async (text: string) => (await earlier.query(text)).rows
const account = async (): Promise<number> =>
  (await read('select min(account_id)::int as id from credit_accounts'))[0].id

test('a session of the release before goes on: it reads, writes, charges, and keeps its prepared statements', async () => {
  const id = await account()
  const grant = (source: string) =>
    earlier.query({
      name: 'grant',
      text: `select credit_grant($1, 'topup', 50::smallint, 100, 'test', $2, null, null) as granted`,
      values: [id, source],
    })
  const commit = (cost: number) =>
    earlier.query({
      name: 'commit',
      text: `select balances[1]::int as balance, outcomes from meter_commit(gen_random_uuid(), array[$1::bigint], array[$2::bigint], array[$1::bigint],
        '{0}', '{2}', array[$2::bigint], '{1}', '{0}', array[$1::bigint], '{0}', array[$2::int], '{t}', '{1}', '{2}', null, null)`,
      values: [id, cost],
    })
  await grant('before')
  const [before] = (await commit(1)).rows
  await migrate(old.db)
  expect((await grant('after')).rows).toEqual([{ granted: true }])
  expect((await grant('after')).rows).toEqual([{ granted: false }])
  expect((await commit(2)).rows).toEqual([{ balance: before.balance + 98, outcomes: null }])
  // Its own statements: an insert with defaults, an upsert, an update, a lock, a delete.
  await earlier.query(`insert into usage_reports (account_id, user_id, event) values (${id}, gen_random_uuid(), 'seen');
    insert into meter_keys (key_id, account_id) values (77, ${id});
    insert into meter_keys (key_id, account_id) values (77, ${id}) on conflict (key_id) do update set live = false;
    update credit_accounts set payg_enabled = payg_enabled where account_id = ${id};
    delete from meter_batches where at < now() - interval '1 year'`)
  expect(
    await read('select live, monthly_budget from meter_keys where key_id = 77 for no key update skip locked'),
  ).toEqual([{ live: false, monthly_budget: null }])
  const hold = '00000000-0000-4000-8000-000000000001'
  expect(await read(`select outcome from credit_hold('${hold}', ${id}, 0, 5, 60)`)).toEqual([{ outcome: 'held' }])
  expect(await read(`select credit_release('${hold}') as released, usage_fold() as folded`)).toEqual([
    { released: true, folded: true },
  ])
  expect(await read(`select usage_partition_create('2020-01-01') as made`)).toEqual([{ made: true }])
  expect(await read(`select count(*)::int as days from usage_by_day where account_id = ${id}`)).not.toEqual([
    { days: 0 },
  ])
  expect(await read(`select to_regclass('m00.usage_events_20200101') is not null as inside`)).toEqual([
    { inside: true },
  ])
  expect(await checkInvariants(old.db)).toEqual([])
})

test('an interrupted takeover leaves the database as it was, says why it waited, and the next attempt completes it', async () => {
  await earlier.query('begin; select from credit_accounts')
  const said: string[] = []
  const other = openDatabase(old.url, 4, () => {})
  const migrating = migrate(other, { say: (line) => said.push(line) }).catch((error: Error) => error)
  const waits = `select pid from pg_locks where relation = 'public.credit_accounts'::regclass and not granted`
  await expect.poll(() => said.filter((line) => line.startsWith('Calls keep a table busy')).length).toBeGreaterThan(0)
  // In one statement: it steps back again soon.
  const interrupt = `select pg_terminate_backend(pid) from (${waits}) w`
  await expect.poll(async () => (await old.db.pool.query(interrupt)).rowCount).toBe(1)
  expect(await migrating).toBeInstanceOf(Error)
  await other.close()
  expect(said.slice(0, 2)).toEqual([
    'Moving the metering tables into bucket m00. Only the catalog changes, so the number of rows does not matter.',
    'Calls keep a table busy: stepped back (1 of 60 attempts).',
  ])
  expect(
    await read(`select to_regclass('public.credit_accounts')::text as there, to_regnamespace('m00') as bucket`),
  ).toEqual([{ there: 'credit_accounts', bucket: null }])
  await earlier.query('commit')
  expect(await migrate(old.db)).toContain('0014_buckets')
  expect(await migrate(old.db)).toEqual([])
})

test('the rows are not rewritten', async () => {
  const files = `select c.relname, pg_relation_filenode(c.oid) as file from pg_class c
    where relname ~ '^(credit|meter|usage)_|^idempotency' and relkind in ('r', 'i', 'S') order by 1`
  const before = await read(files)
  await migrate(old.db)
  expect(await read(files)).toEqual(expect.arrayContaining(before))
  expect(before.length).toBeGreaterThan(40)
})

test('a second bucket ends the names for the release before, which then may not start', async () => {
  await migrate(old.db)
  const served = async () => (await read('select serves_from from schema_release'))[0].serves_from
  expect(await served()).toBe(2_000)
  await makeBucket(old.db, 0)
  expect(await read('select count(*)::int as accounts from credit_accounts')).toEqual([{ accounts: 2 }])
  await makeBucket(old.db, 1)
  await expect(read('select from credit_accounts')).rejects.toThrow('relation "credit_accounts" does not exist')
  expect(
    await read(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and proname ~ '^(credit|meter)_'`,
    ),
  ).toEqual([])
  expect(await read('select count(*)::int as accounts from metering.credit_accounts')).toEqual([{ accounts: 2 }])
})
