import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from './db/database.ts'
import { distributeBucket } from './db/distribute.ts'
import { type EmbeddedPostgres, freePort, startEmbedded } from './db/embedded.ts'
import { programsIn } from './db/embedded-binaries.ts'
import { makeBucket } from './db/make-bucket.ts'
import { migrate } from './db/migrate.ts'
import { readPlacement } from './db/placement.ts'
import { createLog } from './log.ts'
import { createSecrets } from './secrets/secrets.ts'
import { type ServerProcess, startServerProcess } from './testing/process.ts'
import { makeProofAccounts } from './testing/proof/accounts.ts'
import { callUntilDone } from './testing/proof/callers.ts'
import { compare } from './testing/proof/compare.ts'
import { newSeen } from './testing/proof/seen.ts'
import { PASSWORD, type Replicated, startReplicated } from './testing/replicated.ts'

/** An installation of PostgreSQL that has Citus. */
const installed = globSync('/usr/lib/postgresql/*/lib/citus.so')[0]
if (!installed)
  console.log('skipped: the failover of a Citus worker (install Citus for a PostgreSQL in /usr/lib/postgresql)')

const KEYS_SECRET = 'cd'.repeat(32)
const CALLS = 500
const flags = ['shared_preload_libraries=citus', 'wal_level=logical', 'max_prepared_transactions=100']

let dir: string
let worker: Replicated | undefined
let coordinator: EmbeddedPostgres | undefined
let server: ServerProcess | undefined
afterEach(async () => {
  server?.child.kill('SIGKILL')
  await server?.ended
  await worker?.close()
  await coordinator?.stop()
  await rm(dir, { recursive: true, force: true })
})

test.skipIf(!installed)(
  "a worker's standby is promoted under load: every answered charge is on it",
  async () => {
    dir = await mkdtemp(join(tmpdir(), 'finmeter-citus-failover-'))
    const passwords = join(dir, 'pgpass')
    await writeFile(passwords, `127.0.0.1:*:*:finmeter:${PASSWORD}\n`, { mode: 0o600 })
    // The nodes connect to each other.
    process.env.PGPASSFILE = passwords
    const programs = programsIn(join(installed!, '../../bin'))
    const prepare = (db: ReturnType<typeof openDatabase>) => db.pool.query('create extension citus')
    coordinator = await startEmbedded(join(dir, 'coordinator'), PASSWORD, { flags, programs })
    worker = await startReplicated({ synchronous: true, prepare, flags, programs })
    const portOf = ({ url }: { url: string }) => Number(new URL(url).port)

    const setup = openDatabase(coordinator.connectionString, 4, () => {})
    await prepare(setup)
    await setup.pool.query(`select citus_set_coordinator_host('127.0.0.1', $1)`, [
      Number(new URL(coordinator.connectionString).port),
    ])
    await setup.pool.query(`select citus_add_node('127.0.0.1', $1)`, [portOf(worker.primary)])
    await migrate(setup)
    await makeBucket(setup, 1)
    for (const bucket of [0, 1]) await distributeBucket(setup, bucket)
    const log = createLog({ LOG_LEVEL: 'silent' })
    const placement = await readPlacement(coordinator.connectionString, new Map(), log)
    placement.close()
    const db = openDatabase(coordinator.connectionString, 4, () => {}, 'metering, public', placement)
    const accounts = await makeProofAccounts(setup, createSecrets(KEYS_SECRET), 4)
    expect((await db.pool.query('select distinct bucket::int from accounts order by 1')).rows).toEqual([
      { bucket: 0 },
      { bucket: 1 },
    ])

    const port = await freePort()
    server = startServerProcess({
      NODE_ENV: 'test',
      DATABASE_URL: coordinator.connectionString,
      KEYS_SECRET,
      PORT: String(port),
      FINMETER_DATA_DIR: join(dir, 'data'),
    })
    await server.ready
    const seen = newSeen()
    let done = false
    const calling = Array.from({ length: 16 }, () =>
      callUntilDone({ accounts, ports: () => [port], seen, done: () => done, failed: () => done }),
    )
    const charged = () => seen.charged
    await expect.poll(charged).toBeGreaterThan(CALLS)
    worker.primary.kill()
    await worker.standby.db.pool.query('select pg_promote()')
    await setup.pool.query(
      `select citus_update_node(nodeid, '127.0.0.1', $2, force => true) from pg_dist_node where nodeport = $1`,
      [portOf(worker.primary), portOf(worker.standby)],
    )
    const before = charged()
    await expect.poll(charged).toBeGreaterThan(before + CALLS)
    done = true
    await Promise.all(calling)
    await server.stop()
    const { differences, rows, unheard } = await compare(db, accounts, seen)
    expect(differences).toEqual([])
    expect(rows - unheard).toBe(seen.receipts.size)
    await Promise.all([setup.close(), db.close()])
  },
  240_000,
)
