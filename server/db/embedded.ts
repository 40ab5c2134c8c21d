import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { embeddedPrograms, type Program } from './embedded-binaries.ts'

export interface EmbeddedPostgres {
  connectionString: string
  stop: () => Promise<void>
}

const USER = 'finmeter'
const STOP_TIMEOUT_MS = 10_000

/**
 * Starts a PostgreSQL server on a free loopback port with its data in `dataDir`/postgres, which is created on first
 * use. A server left running by a crash is stopped first; PostgreSQL then recovers from its log. `password` protects
 * the port from other users of the machine.
 */
export async function startEmbedded(
  dataDir: string,
  password: string,
  flags: string[] = [],
): Promise<EmbeddedPostgres> {
  const cluster = resolve(dataDir, 'postgres')
  const programs = embeddedPrograms()
  await mkdir(resolve(dataDir), { recursive: true })
  if (!existsSync(join(cluster, 'PG_VERSION'))) await create(programs.initdb, cluster, password)
  await endLeftover(cluster)
  const port = await freePort()
  const child = spawnServer(programs.postgres, cluster, port, flags)
  await ready(child)
  const connectionString = `postgres://${USER}:${password}@127.0.0.1:${port}/finmeter`
  await createDatabase(connectionString)
  return { connectionString, stop: () => stop(child) }
}

async function create(initdb: Program, cluster: string, password: string): Promise<void> {
  // Built under a temporary name and renamed at the end: an interrupted first start leaves nothing half-made.
  const draft = `${cluster}.new`
  await rm(draft, { recursive: true, force: true })
  const passwordFile = `${cluster}.password`
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  const args = [
    '-D',
    draft,
    '-U',
    USER,
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-instructions',
  ]
  const made = spawnSync(initdb.command, [...initdb.prefix, ...args], { encoding: 'utf8' })
  await rm(passwordFile)
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message}`)
  await rename(draft, cluster)
}

function spawnServer(postgres: Program, cluster: string, port: number, flags: string[]): ChildProcess {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=100',
    'shared_buffers=256MB',
    'max_wal_size=2GB',
    // Each checkpoint makes the log write every page in full once more, so checkpoints are rare. The WAL size above
    // limits how long recovery takes.
    'checkpoint_timeout=15min',
    'wal_compression=on',
    ...flags,
  ]
  const args = ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  // Own process group: Ctrl-C reaches the server first, which drains and then stops the database.
  return spawn(postgres.command, [...postgres.prefix, ...args], { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((done, failed) => {
    let output = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      if (output.length < 20_000) output += chunk.toString()
      if (output.includes('database system is ready to accept connections')) done()
    })
    child.once('error', failed)
    child.once('exit', (code) => failed(new Error(`The embedded PostgreSQL stopped (code ${code}):\n${output.trim()}`)))
  })
}

async function createDatabase(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString: connectionString.replace(/\/finmeter$/, '/postgres') })
  await client.connect()
  const found = await client.query(`select from pg_database where datname = 'finmeter'`)
  if (found.rowCount === 0) await client.query('create database finmeter')
  await client.end()
}

/** Stops the server named in the cluster's pid file, if it is still running. */
async function endLeftover(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  const [pidLine, directory] = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n')
  const pid = Number(pidLine)
  if (!pid || directory !== cluster || !isPostgres(pid)) return
  process.kill(pid, 'SIGINT')
  for (let waited = 0; waited < STOP_TIMEOUT_MS && isPostgres(pid); waited += 50) await sleep(50)
  if (isPostgres(pid))
    throw new Error(
      `A PostgreSQL server (process ${pid}) still uses ${cluster} and does not stop. End it and start again.`,
    )
}

function isPostgres(pid: number): boolean {
  const found = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  // A zombie process has no command line and is listed as defunct.
  return found.stdout.includes('postgres') && !found.stdout.includes('defunct')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  child.kill('SIGINT')
  await Promise.race([gone, sleep(STOP_TIMEOUT_MS, undefined, { ref: false }).then(() => child.kill('SIGQUIT'))])
  await gone
}

const FIRST_PORT = 10_240
const PORTS = 20_000

/**
 * A loopback port that nothing listens on, below the range that systems use for outgoing connections: otherwise another
 * connection could take it first. Throws after a hundred attempts.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = FIRST_PORT + randomInt(PORTS)
    if (await isFree(port)) return port
  }
  throw new Error('no free port')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer()
    probe.once('error', () => done(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)))
  })
}
