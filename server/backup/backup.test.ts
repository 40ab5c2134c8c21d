import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { cp, lstat, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openBuckets } from '../db/buckets.ts'
import { makeBucket } from '../db/make-bucket.ts'
import { migrate, requireMigrated } from '../db/migrate.ts'
import { describeSchema, hashRows } from '../db/testing/describe-schema.ts'
import { createEmptyDatabase } from '../db/testing/empty-database.ts'
import { grantCredits } from '../features/credits/grant.ts'
import { versionStore } from '../features/datasets/version-store.ts'
import { checkInvariants } from '../features/metering/invariants.ts'
import { encodeReceiptId } from '../features/metering/receipt-id.ts'
import { makeLoadTestAccount } from '../features/operator/make-load-test-account.ts'
import { createLog } from '../log.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { insertAccount } from '../testing/factories.ts'
import { createTestDatabase, startTestServer, type TestDatabase, testConfig } from '../testing/harness.ts'
import { makeProofAccounts } from '../testing/proof/accounts.ts'
import { callUntilDone } from '../testing/proof/callers.ts'
import { newSeen } from '../testing/proof/seen.ts'
import { call } from '../testing/session.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { readManifest } from './manifest.ts'
import { restoreBackup } from './restore-backup.ts'
import { type BackupParts, writeBackup } from './write-backup.ts'

const secrets = createSecrets('ab'.repeat(32))
// Writes dozens of files, flushes each to disk, and starts many commands.
vi.setConfig({ testTimeout: 180_000 })

let dir: string
let source: TestDatabase
let target: TestDatabase
beforeEach(async () => {
  dir = temporaryFolder()
  source = await createTestDatabase()
  target = await createEmptyDatabase()
})
afterEach(async () => {
  await source.drop()
  await target.drop()
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const dataDir = (name: string) => join(dir, name)
const backup = (from = source, more: Partial<BackupParts> = {}) =>
  writeBackup(dataDir('backups'), {
    config: { FINMETER_DATA_DIR: dataDir('old') },
    db: from.db,
    secrets,
    log: createLog(testConfig(from.url, 0)),
    say: () => {},
    settle: async () => {},
    ...more,
  })
const restore = async (path: string, into = target) =>
  restoreBackup(path, await readManifest(path), {
    config: { FINMETER_DATA_DIR: dataDir('new') },
    db: into.db,
    say: () => {},
  })

/** Without empty partitions: a restore creates those of the coming days. */
const rowsOf = async ({ db }: TestDatabase) =>
  Object.fromEntries(
    Object.entries(await hashRows(db)).filter(([name, hash]) => !(/_\d{8}$/.test(name) && hash.startsWith('0 '))),
  )

test('everything of a database with all kinds of rows comes back, and the schema is a fresh one', async () => {
  const old = await createEmptyDatabase()
  const client = new pg.Client({ connectionString: old.url })
  await client.connect()
  await client.query(await readFile(join(import.meta.dirname, '../db/fixtures/release-0.1.0.sql'), 'utf8'))
  await client.end()
  await migrate(old.db)
  await old.db.pool.query(`insert into audit_log (actor, action, detail) values ('system:t', 'odd', $1)`, [
    { text: 'back\\slash \t tab \n line \u{1F600} \\N \\.', nothing: null },
  ])
  const { path, manifest } = await backup(old)
  await restore(path)
  expect(await rowsOf(target)).toEqual(await rowsOf(old))
  expect(await describeSchema(target.db)).toEqual(await describeSchema(source.db))
  await requireMigrated(target.db)
  expect(await checkInvariants(target.db)).toEqual([])
  expect(manifest.tables.filter(({ rows }) => rows > 0).length).toBeGreaterThan(20)
  const last = async ({ db }: TestDatabase) =>
    (await db.pool.query(`select last_value from pg_sequences where sequencename = 'audit_log_id_seq'`)).rows
  expect(await last(target)).toEqual(await last(old))
  await old.drop()
})

test('a database of three buckets comes back with all of them', async () => {
  for (const bucket of [1, 2]) await makeBucket(source.db, bucket)
  const root = await openBuckets(source.url, 2, () => {})
  for (let n = 0; n < 6; n++) await makeLoadTestAccount(root.kysely, secrets, 100 + n)
  await root.close()
  const balances = 'select account_id::int, balance::int from metering.credit_accounts order by 1'
  const before = (await source.db.pool.query(balances)).rows
  expect(before).toHaveLength(6)
  const { path } = await backup()
  await restore(path)
  expect((await target.db.pool.query(balances)).rows).toEqual(before)
  expect((await target.db.pool.query('select id::int from buckets order by id')).rows).toEqual([
    { id: 0 },
    { id: 1 },
    { id: 2 },
  ])
  const restored = await openBuckets(target.url, 2, () => {})
  expect(await checkInvariants(restored)).toEqual([])
  await restored.close()
})

test('under load: what was charged before it is in it, and sums, ledger and rows agree; calls go on', async () => {
  const server = await startTestServer({ databaseUrl: source.url })
  const accounts = await makeProofAccounts(source.db, secrets, 2)
  const seen = newSeen()
  let stopped = false
  const over = () => stopped
  const callers = Array.from({ length: 8 }, () =>
    callUntilDone({ accounts, ports: () => [Number(new URL(server.url).port)], seen, done: over, failed: over }),
  )
  await expect.poll(() => seen.charged).toBeGreaterThan(200)
  const before = [...seen.receipts.keys()]
  const { path, manifest } = await backup()
  const during = seen.charged
  await expect.poll(() => seen.charged).toBeGreaterThan(during + 100)
  stopped = true
  await Promise.all(callers)
  await restore(path)
  expect(await checkInvariants(target.db)).toEqual([])
  const { rows } = await target.db.pool.query<{ at: string; batch: string; n: number }>(
    `select (extract(epoch from at) * 1000000)::bigint as at, batch::text, n from usage_events where success`,
  )
  const restored = new Set(rows.map(({ at, batch, n }) => encodeReceiptId({ atMicros: Number(at), batch, n })))
  expect(before.filter((receipt) => !restored.has(receipt))).toEqual([])
  expect([...restored].filter((receipt) => !seen.receipts.has(receipt))).toEqual([])
  expect(restored.size).toBe(rows.length)
  expect(restored.size).toBeLessThan(seen.receipts.size)
  expect(manifest.tables.find(({ name }) => name === 'usage_events')?.rows).toBeGreaterThanOrEqual(restored.size)
  await server.close()

  const next = await startTestServer({ databaseUrl: target.url })
  const rich = accounts.find(({ kind }) => kind === 'rich')!
  const answer = await call(next, 'GET', '/v1/quotes?symbols=AAPL', { headers: { 'x-api-key': rich.key } })
  expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '1'])
  expect(await checkInvariants(target.db)).toEqual([])
  await next.close()
})

test('what was answered 503 is charged neither here nor there, whichever way it became known', async () => {
  const server = await startTestServer({ databaseUrl: source.url })
  const { key } = await makeLoadTestAccount(source.db.kysely, secrets, 100)
  const charge = async () => {
    await call(server, 'GET', '/v1/quotes?symbols=AAPL', { headers: { 'x-api-key': key } })
    const { rows } = await source.db.pool.query('select batch from usage_events order by at desc limit 1')
    return rows[0].batch as string
  }
  const [onDisk, voidedLater] = [await charge(), await charge()]
  await charge()
  await mkdir(join(dataDir('old'), 'given-up'), { recursive: true })
  await writeFile(join(dataDir('old'), 'given-up', onDisk), '')
  const { path, manifest } = await backup(source, {
    settle: () => source.db.pool.query('select meter_void($1)', [voidedLater]),
  })
  expect(manifest.givenUp.map(({ batch }) => batch).sort()).toEqual([onDisk, voidedLater].sort())
  await restore(path)
  const { rows } = await target.db.pool.query(
    'select balance::int, (select count(*)::int from usage_events where success) as charged from credit_accounts',
  )
  expect(rows).toEqual([{ balance: 99, charged: 1 }])
  expect(await checkInvariants(target.db)).toEqual([])
  await server.close()
})

test('published datasets come with it, and only what is served', async () => {
  const store = versionStore(join(dataDir('old'), 'datasets'))
  // The store uses nothing else of a manifest.
  const write = (text: string) => store.write('own', Buffer.from(text), () => ({ file: 'rows.bin', text }) as never)
  await write('first')
  const folder = join(dataDir('old'), 'datasets', 'own')
  const [version] = await store.versions('own')
  await writeFile(join(folder, 'current'), `${version}\n`)
  await mkdir(join(folder, 'answers'))
  await writeFile(join(folder, 'answers', 'cached'), 'x')
  const { path } = await backup()
  await restore(path)
  const restored = versionStore(join(dataDir('new'), 'datasets'))
  expect(await restored.current('own')).toBe(version)
  expect(await readFile(join(dataDir('new'), 'datasets', 'own', version!, 'rows.bin'), 'utf8')).toBe('first')
  expect((await readdir(join(dataDir('new'), 'datasets', 'own'))).sort()).toEqual([version, 'current'].sort())
  const second = await createEmptyDatabase()
  await expect(restore(path, second)).rejects.toThrow(
    `${join(dataDir('new'), 'datasets')} is not empty: use another FINMETER_DATA_DIR, or move that folder.`,
  )
  await second.drop()
})

test('jobs that waited still wait, and those that ran can run again', async () => {
  await runMigrations({ pgPool: source.db.pool })
  await source.db.pool.query(`select graphile_worker.add_job('later', '{"n": 1}', job_key := 'one', run_at := now() + interval '1 day');
    select graphile_worker.add_job('running');
    update graphile_worker._private_jobs set locked_at = now(), locked_by = 'gone' where key is null`)
  const { path } = await backup()
  await restore(path)
  const jobs = `select j.id::int, t.identifier, j.payload, j.key, j.run_at from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id order by 1`
  expect((await target.db.pool.query(jobs)).rows).toEqual((await source.db.pool.query(jobs)).rows)
  expect(
    (await target.db.pool.query('select from graphile_worker._private_jobs where locked_at is not null')).rowCount,
  ).toBe(0)
  const { rows } = await target.db.pool.query(`select id::int from graphile_worker.add_job('next')`)
  expect(rows[0].id).toBeGreaterThan(2)
})

test('a backup from before a migration is brought to this release', async () => {
  const old = await createEmptyDatabase()
  const folder = temporaryFolder()
  const all = join(import.meta.dirname, '../db/migrations')
  await cp(all, folder, { recursive: true, filter: (name) => basename(name) < '0019' || !/^\d/.test(basename(name)) })
  await migrate(old.db, { folder })
  const account = { accountId: await insertAccount(old.db), kind: 'promo', amount: 7 } as const
  await old.db.kysely
    .transaction()
    .execute((tx) => grantCredits(tx, { ...account, sourceType: 'test', sourceId: 'old' }))
  const { path } = await backup(old)
  await restore(path)
  expect(await describeSchema(target.db)).toEqual(await describeSchema(source.db))
  expect((await target.db.pool.query('select balance::int from credit_accounts')).rows).toEqual([{ balance: 7 }])
  await old.drop()
})

test('nobody else can read it, it names no secret, and it has its name when it is complete', async () => {
  await mkdir(dataDir('backups'))
  const seen: string[][] = []
  await makeLoadTestAccount(source.db.kysely, secrets, 7)
  const { path } = await backup(source, {
    say: () => void seen.push(readdirSync(dataDir('backups'))),
  })
  expect(await readdir(dataDir('backups'))).toEqual([path.split('/').at(-1)])
  expect(seen.flat().filter((name) => !name.endsWith('.partial'))).toEqual([])
  expect((await stat(path)).mode & 0o777).toBe(0o700)
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) expect((await stat(join(entry.parentPath, entry.name))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(path, 'manifest.json'), 'utf8')).not.toContain('abab')
})

test('a damaged backup is refused, and leaves a database that no server starts on', async () => {
  await makeLoadTestAccount(source.db.kysely, secrets, 7)
  const { path, manifest } = await backup()
  const file = manifest.tables.find(({ name }) => name === 'credit_ledger')!.file
  await truncate(join(path, file), 40)
  await expect(restore(path)).rejects.toThrow(`The backup is damaged: ${file} cannot be read`)
  await expect(migrate(target.db)).rejects.toThrow('a restore into it is not finished')
  expect((await target.db.pool.query('select from accounts')).rowCount).toBe(0)
  await expect(restore(path)).rejects.toThrow('An earlier restore into this database did not finish')
})

test.each([
  ['a path that leaves the folder', 'path', '../evil'],
  ['one that a line break hides', 'path', 'datasets/x\n/../../../evil'],
  ['an absolute one', 'path', '/tmp/evil'],
  ['a file that is no dataset', 'path', 'secrets.json'],
  ['a source that a line break hides', 'file', 'x\n/../../evil'],
])('a manifest with %s is refused', async (_, name, value) => {
  const { path, manifest } = await backup()
  const files = [{ path: 'datasets/own/current', file: 'files/1', sha256: '', bytes: 1, [name]: value }]
  await writeFile(join(path, 'manifest.json'), JSON.stringify({ ...manifest, files }))
  await expect(restore(path)).rejects.toThrow('is damaged, or was written by a later release of Finmeter.')
  expect(await readdir(dir)).not.toContain('evil')
})

test('a link in a backup is restored as the file that it was, and a damaged file not at all', async () => {
  const { path, manifest } = await backup()
  const files = [{ path: 'datasets/own/current', file: 'current', sha256: sha256('v1'), bytes: 2 }]
  await writeFile(join(path, 'manifest.json'), JSON.stringify({ ...manifest, files }))
  await writeFile(dataDir('elsewhere'), 'v1')
  await symlink(dataDir('elsewhere'), join(path, 'current'))
  await restore(path)
  const restored = join(dataDir('new'), 'datasets/own/current')
  expect([await readFile(restored, 'utf8'), (await lstat(restored)).isFile()]).toEqual(['v1', true])

  await rm(dataDir('new'), { recursive: true })
  await writeFile(dataDir('elsewhere'), 'v2')
  const second = await createEmptyDatabase()
  await expect(restore(path, second)).rejects.toThrow('The backup is damaged: current does not match its checksum.')
  expect(await readdir(join(dataDir('new'), 'datasets/own'))).toEqual([])
  await second.drop()
})

test('a table file of another backup is noticed, though it can be read', async () => {
  const { path: other, manifest } = await backup()
  await makeLoadTestAccount(source.db.kysely, secrets, 7)
  const file = manifest.tables.find(({ name }) => name === 'audit_log')!.file
  const text = await readFile(join(other, file))
  await rm(other, { recursive: true })
  const { path } = await backup()
  await writeFile(join(path, file), text)
  await expect(restore(path)).rejects.toThrow(`The backup is damaged: ${file} does not match its checksum.`)
})

test('a table of somebody else is named, and nothing is loaded', async () => {
  await source.db.pool.query('create table public.of_somebody_else (n int)')
  const { path } = await backup()
  await expect(restore(path)).rejects.toThrow('This backup has the table "public"."of_somebody_else", which Finmeter ')
})

test('a restore overwrites nothing, and a later release is named', async () => {
  const { path } = await backup()
  await expect(restore(path, source)).rejects.toThrow(
    /^The database is not empty \(it has \w+\): a restore overwrites nothing\. Name a new database in DATABASE_URL, or a new FINMETER_DATA_DIR\.$/,
  )
  const manifest = await readManifest(path)
  const later = { ...manifest, release: '9.1.0', migrations: [...manifest.migrations, '9999_later'] }
  await writeFile(join(path, 'manifest.json'), JSON.stringify(later))
  await expect(restore(path)).rejects.toThrow(
    /^This backup was made by Finmeter 9\.1\.0 \(9999_later is unknown to \d+\.\d+\.\d+\): restore it with Finmeter 9\.1\.0 or later\.$/,
  )
  await writeFile(join(path, 'manifest.json'), '{')
  await expect(restore(path)).rejects.toThrow('is damaged, or was written by a later release of Finmeter.')
})
