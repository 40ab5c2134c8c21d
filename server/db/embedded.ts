import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { embeddedPrograms, type Program, type Programs } from './embedded-binaries.ts'

export interface EmbeddedPostgres {
  connectionString: string
  /** Resolves with the end of what it printed when its process ends, whatever the reason. */
  exited: Promise<string>
  /** A clean stop; after `limitMs` (10 seconds unless stated), or if it cannot run, its processes are killed. */
  stop: (limitMs?: number) => Promise<void>
  /** Kills its processes at once. The next start recovers from its log. */
  kill: () => void
}

export type EmbeddedProcess = ChildProcess

export interface EmbeddedOptions {
  /** Further settings, such as `fsync=off`. */
  flags?: string[]
  /** The port to listen on; a free one unless stated. */
  port?: number
  /** Those that npm installed unless stated. */
  programs?: Programs
  /** Receives the process as soon as it runs. */
  spawned?: (child: ChildProcess) => void
}

const USER = 'finmeter'
const STOP_TIMEOUT_MS = 10_000
const MOST_OUTPUT = 20_000

/**
 * Starts a PostgreSQL server on a free loopback port with its data in `dataDir`/postgres, which is created on first
 * use. A server left running by a crash is stopped first; PostgreSQL then recovers from its log. `password` protects
 * the port from other users of the machine.
 */
export async function startEmbedded(
  dataDir: string,
  password: string,
  { flags = [], port: givenPort, programs = embeddedPrograms(), spawned }: EmbeddedOptions = {},
): Promise<EmbeddedPostgres> {
  const cluster = resolve(dataDir, 'postgres')
  await mkdir(resolve(dataDir), { recursive: true })
  if (!existsSync(join(cluster, 'PG_VERSION'))) await create(programs.initdb, cluster, password)
  await endLeftover(cluster)
  const port = givenPort ?? (await freePort())
  const child = spawnServer(programs.postgres, cluster, port, flags)
  spawned?.(child)
  const { exited } = await ready(child)
  const connectionString = `postgres://${USER}:${password}@127.0.0.1:${port}/finmeter`
  await createDatabase(connectionString)
  return { connectionString, exited, stop: (limitMs) => stop(child, limitMs), kill: () => killTree(child) }
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

/** Resolves when it accepts connections, with what it prints last when it ends; rejects if it ends before. */
function ready(child: ChildProcess): Promise<{ exited: Promise<string> }> {
  return new Promise((done, failed) => {
    let output = ''
    const exited = new Promise<string>((ended) =>
      child.once('exit', (code, signal) => {
        failed(new Error(`The embedded PostgreSQL stopped (code ${code}):\n${output.trim()}`))
        ended(`${signal ?? `code ${code}`}: ${output.trim()}`)
      }),
    )
    child.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-MOST_OUTPUT)
      if (/database system is ready to accept (read-only )?connections/.test(output)) done({ exited })
    })
    child.once('error', failed)
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
  // Stopped, or waiting for a disk that does not answer: a signal ends it, and its log recovers what it lost.
  if (!isPostgres(pid)) return
  const all = [pid, ...childrenOf(pid)]
  for (const one of all) sendKill(one)
  for (let waited = 0; waited < STOP_TIMEOUT_MS && all.some(isPostgres); waited += 50) await sleep(50)
  if (all.some(isPostgres))
    throw new Error(
      `A PostgreSQL server (process ${pid}) still uses ${cluster} and does not stop. End it and start again.`,
    )
  // Where no process collects the dead one, its number would look taken.
  await rm(pidFile, { force: true })
}

function isPostgres(pid: number): boolean {
  const found = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  // A zombie process has no command line and is listed as defunct.
  return found.stdout.includes('postgres') && !found.stdout.includes('defunct')
}

const isGone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

async function stop(child: ChildProcess, limitMs = STOP_TIMEOUT_MS): Promise<void> {
  if (isGone(child)) return
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  child.kill('SIGINT')
  await Promise.race([gone, sleep(limitMs, undefined, { ref: false }).then(() => killTree(child))])
  await gone
}

/** A killed server's own processes notice it, but not those that are stopped: they would block the next start. */
export function killTree(child: ChildProcess): void {
  if (isGone(child) || child.pid === undefined) return
  const children = childrenOf(child.pid)
  child.kill('SIGKILL')
  for (const pid of children) sendKill(pid)
}

function childrenOf(parent: number): number[] {
  const { stdout = '' } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return processes.filter(([pid, of]) => of === parent && pid! > 1).map(([pid]) => pid!)
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
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
