import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { freePort } from './db/embedded.ts'
import { createSecrets } from './secrets/secrets.ts'
import { type ServerProcess, startServerProcess } from './testing/process.ts'
import { makeProofAccounts, type ProofAccount } from './testing/proof/accounts.ts'
import { callUntilDone } from './testing/proof/callers.ts'
import { compare } from './testing/proof/compare.ts'
import { newSeen } from './testing/proof/seen.ts'
import { type Replicated, startReplicated } from './testing/replicated.ts'
import { runCommand, runDoctor } from './testing/run-admin.ts'

const KEYS_SECRET = 'ab'.repeat(32)
const CALLERS = 24
const CALLS = 1_000

let servers: Replicated
let server: ServerProcess | undefined
let dataDir: string | undefined
afterEach(async ({ task }) => {
  server?.child.kill('SIGKILL')
  const ended = await server?.ended
  if (task.result?.state === 'fail') console.log(`The server printed:\n${ended?.output.slice(-20_000)}`)
  server = undefined
  await servers?.close()
  if (dataDir) await rm(dataDir, { recursive: true, force: true })
})

interface Running {
  port: number
  accounts: ProofAccount[]
  ready: () => Promise<number>
}

async function start(synchronous: boolean): Promise<Running> {
  servers = await startReplicated({ synchronous })
  const accounts = await makeProofAccounts(servers.primary.db, createSecrets(KEYS_SECRET), 2)
  // A standby that is promoted without the accounts would serve nobody.
  const { lsn } = (await servers.primary.db.pool.query('select pg_current_wal_lsn()::text as lsn')).rows[0]
  const replayed = async () =>
    (await servers.standby.db.pool.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as yes', [lsn])).rows[0].yes
  await expect.poll(replayed, { timeout: 150_000 }).toBe(true)
  dataDir = await mkdtemp(join(tmpdir(), 'finmeter-failover-'))
  const port = await freePort()
  server = startServerProcess({
    NODE_ENV: 'test',
    DATABASE_URL: servers.url,
    KEYS_SECRET,
    PORT: String(port),
    FINMETER_DATA_DIR: dataDir,
  })
  await server.ready
  return { port, accounts, ready: () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status) }
}

/** Calls without a pause while `meanwhile` runs, which is told how many calls were charged. */
async function underLoad({ port, accounts }: Running, meanwhile: (charged: () => number) => Promise<void>) {
  const seen = newSeen()
  let done = false
  const calling = Array.from({ length: CALLERS }, () =>
    callUntilDone({ accounts, ports: () => [port], seen, done: () => done, failed: () => done }),
  )
  try {
    await meanwhile(() => seen.charged)
  } finally {
    done = true
    await Promise.all(calling)
  }
  return seen
}

/** Only a server that listens to the new primary hears of it. */
async function refusesDeletedKey({ port, accounts }: Running): Promise<void> {
  const { key, id } = accounts[0]!
  // A free call: charges are counted elsewhere.
  const call = () =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
  expect((await call()).status).toBe(200)
  await servers.standby.db.pool.query('update api_keys set deleted_at = app_now() where account_id = $1', [id])
  await expect.poll(() => call().then(({ status }) => status)).toBe(401)
}

const promote = () => servers.standby.db.pool.query('select pg_promote()')

test('the primary is killed under load: every answered charge is on the new one, and the server finds it', async () => {
  const running = await start(true)
  const seen = await underLoad(running, async (charged) => {
    await expect.poll(charged, { timeout: 150_000 }).toBeGreaterThan(CALLS)
    servers.primary.kill()
    await promote()
    const before = charged()
    await expect.poll(charged, { timeout: 150_000 }).toBeGreaterThan(before + CALLS)
  })
  // One answer may take longer than the second that it has.
  await expect.poll(running.ready).toBe(200)
  await refusesDeletedKey(running)
  // A server that stops cleanly first voids the calls that it answered with 503.
  await server!.stop()
  const { differences, rows, credits, unheard } = await compare(servers.standby.db, running.accounts, seen)
  expect(differences).toEqual([])
  expect(rows - unheard).toBe(seen.receipts.size)
  expect(rows).toBe(credits)
}, 600_000)

test('the primary becomes read-only without a restart: its connections are left for the new one', async () => {
  const running = await start(false)
  const seen = await underLoad(running, async (charged) => {
    await expect.poll(charged, { timeout: 150_000 }).toBeGreaterThan(CALLS)
    const old = await servers.primary.db.pool.connect()
    await old.query('alter system set default_transaction_read_only = on')
    await old.query('select pg_reload_conf()')
    old.release()
    await promote()
    const before = charged()
    await expect.poll(charged, { timeout: 150_000 }).toBeGreaterThan(before + CALLS)
  })
  expect(seen.charged).toBeGreaterThan(2 * CALLS)
  await expect.poll(running.ready).toBe(200)
  await refusesDeletedKey(running)
}, 600_000)

test('a standby that is not synchronous is told at the start and by doctor, and one that is is not', async () => {
  const told =
    'the database has one standby, which is not synchronous: a failover loses the latest charges, though their responses were sent. Set synchronous_standby_names in PostgreSQL, or accept the loss (see Replication in docs/operations.md)'
  await start(false)
  server!.child.kill('SIGTERM')
  expect((await server!.ended).output).toContain(told)
  const doctor = () => runDoctor(servers.url, [], { KEYS_SECRET, FINMETER_DATA_DIR: dataDir })
  expect((await doctor()).out.split('\n')).toContain(`note   ${told}`)
  // A role without privileges sees that there are standbys, and nothing about them.
  const { pool } = servers.primary.db
  await pool.query(`create role plain login password 'plain' in role pg_read_all_data`)
  const asPlain = servers.url.replace(/finmeter:\w+@/, 'plain:plain@')
  expect((await runDoctor(asPlain, [], { KEYS_SECRET, FINMETER_DATA_DIR: dataDir })).out).toContain(`note   ${told}`)
  await pool.query(`alter system set synchronous_standby_names = 'follower'`)
  await pool.query('select pg_reload_conf()')
  // Processes of PostgreSQL read the setting when they get the signal.
  const state = () => pool.query('select sync_state from pg_stat_replication').then(({ rows }) => rows[0]?.sync_state)
  await expect.poll(state).toBe('sync')
  const after = await doctor()
  expect(after.out).not.toContain('standby, which')
  expect(after.out.split('\n')).toContain('ok     commits wait for a synchronous standby')
}, 600_000)

test('commands find the primary among several hosts', async () => {
  servers = await startReplicated({ synchronous: true })
  await makeProofAccounts(servers.primary.db, createSecrets(KEYS_SECRET), 1)
  dataDir = await mkdtemp(join(tmpdir(), 'finmeter-failover-'))
  const env = { NODE_ENV: 'test', DATABASE_URL: servers.url, KEYS_SECRET, FINMETER_DATA_DIR: dataDir }
  const commands: [string, string[], string][] = [
    ['migrate', [], 'The database is up to date.'],
    ['admin', ['list'], 'Load test'],
    ['backup', ['--to', join(dataDir, 'backups')], 'everything as of'],
    ['restore', ['--drill', join(dataDir, 'backups')], 'rows restored and checked'],
  ]
  for (const [command, words, said] of commands) {
    const { code, out, err } = await runCommand(command, words, env)
    expect({ command, code, err: code === 0 ? '' : err }).toEqual({ command, code: 0, err: '' })
    expect(out).toContain(said)
  }
}, 600_000)
