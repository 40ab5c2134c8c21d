import type { ChildProcess } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { freePort } from '../db/embedded.ts'
import { createEmptyDatabase } from '../db/testing/empty-database.ts'
import { makeLoadTestAccount } from '../features/operator/make-load-test-account.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { insertAccount } from '../testing/factories.ts'
import { createTestDatabase, startTestServer, type TestDatabase } from '../testing/harness.ts'
import { startServerProcess } from '../testing/process.ts'
import { runAdmin, runCommand, runDoctor } from '../testing/run-admin.ts'
import { call } from '../testing/session.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

const KEYS_SECRET = 'ab'.repeat(32)
// Writes dozens of files, flushes each to disk, and starts many commands.
vi.setConfig({ testTimeout: 180_000 })

let dir: string
beforeEach(async () => {
  dir = temporaryFolder()
})
const only = async (folder: string) => join(folder, (await readdir(folder))[0]!)
const get = (port: number, key: string) =>
  call({ url: `http://127.0.0.1:${port}` }, 'GET', '/v1/quotes?symbols=AAPL', { headers: { 'x-api-key': key } })

test('the embedded database: backed up while the server runs and while it does not, restored elsewhere, and served', async () => {
  const old = { NODE_ENV: 'test', FINMETER_DATA_DIR: join(dir, 'old'), LOG_LEVEL: 'error' }
  const server = startServerProcess({ ...old, PORT: String(await freePort()) })
  const port = Number(new URL((await server.ready).split(' ').at(-1)!).port)
  const made = await runCommand('admin', ['loadtest', '--credits', '50'], old)
  const key = made.out.trim().split('\n').at(-1)!
  expect((await get(port, key)).headers.get('x-credits-remaining')).toBe('49')
  const running = await runCommand('backup', [], old)
  expect([running.code, running.out]).toEqual([0, expect.stringContaining('/old/backups/finmeter-')])
  expect(running.out).toContain('Not included: KEYS_SECRET and other settings.')
  const zero = await runCommand('backup', ['--keep', '0'], old)
  expect([zero.code, zero.err]).toEqual([1, '--keep must be a whole number from 1, not 0.\n'])
  await get(port, key)
  await server.stop()
  const stopped = await runCommand('backup', ['--to', join(dir, 'stopped'), '--keep', '1'], old)
  expect([stopped.code, stopped.err]).toEqual([0, expect.stringContaining('m00.usage_events: 2 rows')])

  const fresh = { ...old, FINMETER_DATA_DIR: join(dir, 'new') }
  const from = [await only(join(dir, 'old', 'backups'))]
  const without = await runCommand('restore', from, fresh)
  expect([without.code, without.err]).toEqual([
    1,
    'KEYS_SECRET is not set: set it to that of the installation that was backed up, or copy its secrets.json into FINMETER_DATA_DIR.\n',
  ])
  const wrong = await runCommand('restore', from, { ...fresh, KEYS_SECRET: 'cd'.repeat(32) })
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('KEYS_SECRET is not that of the backup: ')])
  await expect(readdir(join(dir, 'new'))).rejects.toThrow('ENOENT')
  await mkdir(join(dir, 'new'))
  await cp(join(dir, 'old', 'secrets.json'), join(dir, 'new', 'secrets.json'))
  const restored = await runCommand('restore', from, fresh)
  expect(restored.out.split('\n').filter((line) => /^(ok|WRONG|note)/.test(line))).toEqual([
    'ok     database answers, migrations are applied',
    'ok     KEYS_SECRET opens what this database has encrypted',
    'ok     credits: every invariant holds',
    'ok     1 bucket',
    'ok     fsync is on',
    'ok     synchronous_commit is on',
    expect.stringMatching(/^ok {5}\d plans in the catalog$/),
  ])
  expect([restored.code, restored.out]).toEqual([0, expect.stringContaining('Restored as of ')])
  const next = startServerProcess({ ...fresh, PORT: String(await freePort()) })
  const nextPort = Number(new URL((await next.ready).split(' ').at(-1)!).port)
  const answer = await get(nextPort, key)
  expect([answer.status, answer.headers.get('x-credits-charged'), answer.headers.get('x-credits-remaining')]).toEqual([
    200,
    '1',
    '48',
  ])
  await next.stop()
  const again = await runCommand('restore', from, fresh)
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('a restore overwrites nothing.')])
})

describe('a database of its own', () => {
  let source: TestDatabase
  let target: TestDatabase
  beforeEach(async () => {
    source = await createTestDatabase()
    target = await createEmptyDatabase()
  })
  afterEach(async () => {
    await source.drop()
    await target.drop()
  })
  const env = (url: string) => ({
    NODE_ENV: 'test',
    DATABASE_URL: url,
    KEYS_SECRET,
    FINMETER_DATA_DIR: join(dir, 'data'),
    LOG_LEVEL: 'error',
  })
  const killed = (child: ChildProcess) => child.kill('SIGKILL')

  test('a backup that is killed has no name, and the next one is complete', async () => {
    const server = await startTestServer({ databaseUrl: source.url })
    const { key } = await makeLoadTestAccount(source.db.kysely, createSecrets(KEYS_SECRET), 10)
    await get(Number(new URL(server.url).port), key)
    await server.close()
    await runCommand('backup', ['--to', dir], env(source.url), (child) =>
      child.stderr!.once('data', () => killed(child)),
    )
    expect(await readdir(dir)).toEqual([expect.stringMatching(/^\.finmeter-.*\.partial$/)])
    const refused = await runCommand('restore', [dir], env(target.url))
    expect([refused.code, refused.err]).toEqual([1, `There is no backup in ${dir}.\n`])
    expect((await runCommand('backup', ['--to', dir], env(source.url))).code).toBe(0)
    expect((await runCommand('restore', [dir], env(target.url))).err).toContain('m00.usage_events: 1 rows')
  })

  test('a restore that is killed leaves a database that nothing starts on', async () => {
    await runCommand('backup', ['--to', dir], env(source.url))
    const other = await target.db.pool.connect()
    let child: ChildProcess
    const restoring = runCommand('restore', [dir], env(target.url), (started) => {
      child = started
    })
    const made = async () => (await other.query(`select to_regclass('playground_servers') as made`)).rows[0].made
    await expect.poll(made).toBe('playground_servers')
    await other.query('begin; lock table playground_servers')
    const waits = `select from pg_locks where relation = 'playground_servers'::regclass and not granted`
    await expect.poll(async () => (await other.query(waits)).rowCount).toBe(1)
    killed(child!)
    await restoring
    await other.query('rollback')
    other.release()
    const sentence =
      'The database cannot be used: a restore into it is not finished. Wait until it is, or restore into an empty database.'
    const server = startServerProcess({ ...env(target.url), PORT: '0' })
    expect(await server.ended).toMatchObject({ code: 1, output: `Finmeter cannot start: ${sentence}\n` })
    expect(await runDoctor(target.url)).toMatchObject({ code: 1, out: expect.stringContaining(`WRONG  ${sentence}`) })
    const again = await runCommand('restore', [dir], env(target.url))
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining('An earlier restore into this database did not finish'),
    ])
  })

  test('a drill restores the newest backup, prints one line and leaves nothing', async () => {
    const backups = join(dir, 'backups')
    await runCommand('backup', ['--to', backups], env(source.url))
    const names = async () =>
      (await source.db.pool.query(`select datname from pg_database where datname like 'finmeter_drill_%'`)).rows
    // One that a killed drill left, and one with a name that is not written as it is.
    await source.db.pool.query('create database finmeter_drill_0123456789ab')
    await source.db.pool.query('create database "finmeter_drill_Odd; name"')
    const fine = await runCommand('restore', ['--drill', backups, '--max-age-hours', '26'], env(source.url))
    expect([fine.err, fine.out, fine.code]).toEqual([
      '',
      expect.stringMatching(/^ok {5}finmeter-\S+, 0\.0 hours old: \d+ rows restored and checked in \S+ seconds\.\n$/),
      0,
    ])
    const noted = await source.db.pool.query('select kind, ok from backup_runs order by id')
    expect(noted.rows).toEqual([
      { kind: 'backup', ok: true },
      { kind: 'drill', ok: true },
    ])
    const backup = await only(backups)
    const manifest = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8'))
    const change = (change: object) =>
      writeFile(join(backup, 'manifest.json'), JSON.stringify({ ...manifest, ...change }))
    await change({ takenAt: new Date(Date.now() - 30 * 3_600_000).toISOString() })
    const old = await runCommand('restore', ['--drill', backups, '--max-age-hours', '26'], env(source.url))
    expect([old.err, old.code]).toEqual([
      `WRONG  ${backup} is the newest backup, but is 30.0 hours old; the limit is 26.\n`,
      1,
    ])
    await change({ takenAt: 'lately' })
    const undated = await runCommand('restore', ['--drill', backups, '--max-age-hours', '26'], env(source.url))
    expect([undated.err, undated.code]).toEqual([
      `WRONG  ${join(backup, 'manifest.json')} is damaged, or was written by a later release of Finmeter.\n`,
      1,
    ])
    const { tables } = manifest as { tables: { rows: number }[] }
    await change({ tables: tables.map((table) => ({ ...table, rows: table.rows + 1 })) })
    const damaged = await runCommand('restore', ['--drill', backups], env(source.url))
    expect([damaged.err, damaged.code]).toEqual([
      expect.stringMatching(/^WRONG {2}The backup is damaged: \S+ has \d+ rows instead of \d+\. Use another one\.\n$/),
      1,
    ])
    await rm(backup, { recursive: true })
    const account = await insertAccount(source.db)
    await source.db.pool.query('update credit_accounts set balance = 5 where account_id = $1', [account])
    await runCommand('backup', ['--to', backups], env(source.url))
    const unsound = await runCommand('restore', ['--drill', backups], env(source.url))
    expect([unsound.err, unsound.code]).toEqual([
      expect.stringMatching(
        /^WRONG {2}\S+ can be restored, but its contents are inconsistent: credits: \{"invariant":"I2".*\}\n$/,
      ),
      1,
    ])
    await source.db.pool.query('create database finmeter_drill_kept is_template true')
    const kept = await runCommand('restore', ['--drill', backups], env(source.url))
    expect([kept.err, kept.code]).toEqual(['WRONG  cannot drop a template database\n', 1])
    await source.db.pool.query('alter database finmeter_drill_kept is_template false')
    await source.db.pool.query('drop database finmeter_drill_kept')
    expect(await names()).toEqual([])
    expect(await readdir(join(dir, 'data'))).toEqual([])
  })

  test('commands and a server with MIGRATE=off only check; npm run migrate migrates', async () => {
    const sentence = 'The database is empty: run npm run migrate, or start the server once.'
    const server = startServerProcess({ ...env(target.url), MIGRATE: 'off', PORT: '0' })
    expect(await server.ended).toMatchObject({ code: 1, output: `Finmeter cannot start: ${sentence}\n` })
    expect(await runDoctor(target.url)).toMatchObject({ code: 1, out: expect.stringContaining(`WRONG  ${sentence}`) })
    expect(await runAdmin(target.url, ['list'])).toEqual({ code: 1, out: '', err: `${sentence}\n` })
    expect(await runCommand('billing', ['events'], env(target.url))).toEqual({
      code: 1,
      out: '',
      err: `${sentence}\n`,
    })
    expect(
      (await target.db.pool.query(`select from pg_class where relnamespace = 'public'::regnamespace`)).rowCount,
    ).toBe(0)
    const migrated = await runCommand('migrate', [], env(target.url))
    expect(migrated.out).toMatch(/^applied 0001_clock\n(applied [\w/ ]+\n)+The database is up to date\.\n$/)
    const next = startServerProcess({ ...env(target.url), MIGRATE: 'off', PORT: String(await freePort()) })
    await next.ready
    await next.stop()
  })
})
