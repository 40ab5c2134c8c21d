import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { freePort } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { makeLoadTestAccount } from '../features/operator/make-load-test-account.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { startTestServer } from '../testing/harness.ts'
import { runDoctor } from '../testing/run-admin.ts'
import { call } from '../testing/session.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

const folders = [...(process.env.PATH ?? '').split(':'), ...[18, 17, 16, 15].map((n) => `/usr/lib/postgresql/${n}/bin`)]
const bin = folders.find((folder) =>
  ['initdb', 'postgres', 'pg_basebackup'].every((name) => existsSync(join(folder, name))),
)
/** PostgreSQL refuses to run as root, so it runs as the packages' own user. */
const asRoot = process.getuid?.() === 0
const user = asRoot ? idOf('postgres') : null
const missing = !bin
  ? 'initdb, postgres and pg_basebackup are not installed'
  : asRoot && !user
    ? 'there is no user postgres'
    : ''
if (missing) console.log(`Restoring to a point in time is not tested: ${missing}.`)

function idOf(name: string): number | null {
  try {
    return Number(execFileSync('id', ['-u', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch {
    return null
  }
}

let dir: string
const running: ChildProcess[] = []
beforeEach(() => {
  dir = temporaryFolder()
  mkdirSync(join(dir, 'wal'))
  if (user) for (const folder of [dir, join(dir, 'wal')]) chownSync(folder, user, user)
})
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

const own = user ? { uid: user, gid: user } : {}
const program = (name: string, ...words: string[]) =>
  execFileSync(join(bin!, name), words, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'], ...own })

/** Starts a server on the cluster and waits until it accepts writes. */
async function start(cluster: string, port: number): Promise<{ url: string; kill: () => Promise<void> }> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`]
  const child = spawn(join(bin!, 'postgres'), ['-D', join(dir, cluster), ...settings.flatMap((one) => ['-c', one])], {
    cwd: dir,
    stdio: 'ignore',
    ...own,
  })
  running.push(child)
  const ended = new Promise<void>((done) => void child.once('exit', () => done()))
  const url = `postgres://finmeter@127.0.0.1:${port}/postgres`
  await expect.poll(() => ask(url, 'select pg_is_in_recovery() as value').catch(() => null)).toBe(false)
  const kill = () => {
    child.kill('SIGKILL')
    return ended
  }
  return { url, kill }
}

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows[0]?.value
  } finally {
    await client.end()
  }
}

test.skipIf(missing !== '')(
  'archived WAL brings back the moment that is asked for: no call before it is lost, none after it is there',
  async () => {
    program('initdb', '-D', join(dir, 'first'), '-U', 'finmeter', '-E', 'UTF8', '--locale=C')
    writeFileSync(
      join(dir, 'first', 'postgresql.auto.conf'),
      `archive_mode = on\narchive_command = 'test ! -f ${dir}/wal/%f && cp %p ${dir}/wal/%f'\n`,
    )
    const port = await freePort()
    const first = await start('first', port)
    await ask(first.url, 'create database finmeter')
    const url = first.url.replace(/postgres$/, 'finmeter')
    const db = openDatabase(url, 4, () => {})
    await migrate(db)
    const server = await startTestServer({ databaseUrl: url })
    const { key } = await makeLoadTestAccount(db.kysely, createSecrets('ab'.repeat(32)), 100)
    const charge = async (times: number, at = server) => {
      for (let i = 0; i < times; i++) {
        const answer = await call(at, 'GET', '/v1/quotes?symbols=AAPL', { headers: { 'x-api-key': key } })
        expect(answer.headers.get('x-credits-charged')).toBe('1')
      }
    }
    await charge(2)
    program('pg_basebackup', '-d', first.url, '-D', join(dir, 'base'), '--checkpoint=fast')
    await charge(3)
    const moment = await ask(url, 'select clock_timestamp()::text as value')
    await charge(4)
    const segment = await ask(url, 'select pg_walfile_name(pg_switch_wal()) as value')
    await expect.poll(() => existsSync(join(dir, 'wal', String(segment)))).toBe(true)
    await server.close()
    await db.close()
    await first.kill()

    execFileSync('cp', ['-a', join(dir, 'base'), join(dir, 'second')])
    writeFileSync(
      join(dir, 'second', 'postgresql.auto.conf'),
      `restore_command = 'cp ${dir}/wal/%f %p'\nrecovery_target_time = '${moment}'\nrecovery_target_action = promote\n`,
    )
    writeFileSync(join(dir, 'second', 'recovery.signal'), '')
    await start('second', port)
    expect(await ask(url, 'select count(*)::int as value from metering.usage_events')).toBe(5)
    expect(await ask(url, 'select balance::int as value from metering.credit_accounts')).toBe(95)
    const { code, out } = await runDoctor(url)
    expect([out.split('\n').filter((line) => line.startsWith('WRONG')), code]).toEqual([[], 0])
    const next = await startTestServer({ databaseUrl: url })
    await charge(1, next)
    await next.close()
  },
  300_000,
)
