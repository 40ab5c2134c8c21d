import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type EmbeddedPostgres, startEmbedded } from '../../db/embedded.ts'
import { openRelay, type Relay } from './relay.ts'

/** The proof's own PostgreSQL, which may be killed, cut off and run out of disk. */
export interface Cluster {
  /** For the servers under test, through a network that fails on demand. */
  url: string
  /** For the proof itself. */
  controlUrl: string
  wire: Relay
  /** kill -9 of the postmaster and all its children. */
  down: () => Promise<void>
  /** A start on the same data. */
  up: () => Promise<void>
  /** Both of the above. */
  crash: () => Promise<void>
  /** Stops all its processes: connections stay open, new ones are accepted, and nothing answers. */
  freeze: () => Promise<void>
  thaw: () => Promise<void>
  /**
   * Fills the disk, runs `meanwhile`, frees the space, and restarts PostgreSQL if it gave up. Null: this machine cannot
   * mount a file system.
   */
  fillDisk: ((meanwhile: () => Promise<void>) => Promise<void>) | null
  close: () => Promise<void>
}

const PASSWORD = 'proof'
/** Durability as in production; small enough for a small disk. */
const FLAGS = ['fsync=on', 'synchronous_commit=on', 'max_wal_size=96MB', 'min_wal_size=32MB', 'shared_buffers=128MB']
const START_ATTEMPTS = 40
const SERVING_ATTEMPTS = 240

export async function startCluster(diskMegabytes: number): Promise<Cluster> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-proof-'))
  const mounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m,mode=0777`, 'finmeter-proof', dir]).status === 0
  const [wire, control] = await Promise.all([openRelay(), openRelay()])
  let server: EmbeddedPostgres

  const start = async (): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        server = await startEmbedded(dir, PASSWORD, { flags: FLAGS })
        break
      } catch (error) {
        // Children of a killed postmaster need a moment to end.
        if (attempt === START_ATTEMPTS) throw error
        await sleep(250)
      }
    }
    const port = Number(new URL(server.connectionString).port)
    wire.target(port)
    control.target(port)
  }
  await start()
  const through = ({ port }: Relay) => {
    const url = new URL(server.connectionString)
    url.port = String(port)
    return url.toString()
  }
  const pidFile = join(dir, 'postgres', 'postmaster.pid')
  const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
    const pid = await postmaster(pidFile)
    if (pid) for (const one of [pid, ...childrenOf(pid)]) send(signal, one)
  }

  const fill = async (meanwhile: () => Promise<void>): Promise<void> => {
    const ballast = join(dir, 'ballast')
    fillUp(ballast)
    try {
      await meanwhile()
    } finally {
      rmSync(ballast)
    }
    await untilServing()
  }

  // It may still be about to give up: start it again only when its process has ended.
  const untilServing = async (): Promise<void> => {
    for (let attempt = 1; attempt <= SERVING_ATTEMPTS; attempt++) {
      if (!(await postmaster(pidFile))) await start()
      else if (await answers(server.connectionString)) return
      await sleep(250)
    }
    throw new Error('PostgreSQL does not answer again.')
  }

  return {
    url: through(wire),
    controlUrl: through(control),
    wire,
    down: () => signalAll('SIGKILL'),
    up: start,
    async crash() {
      await signalAll('SIGKILL')
      await start()
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    fillDisk: mounted ? fill : null,
    async close() {
      await server.stop()
      await Promise.all([wire.close(), control.close()])
      if (mounted) spawnSync('umount', ['-l', dir])
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('create temporary table proof_of_life as select 1 as one')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** The process id of the postmaster, if it is alive. */
async function postmaster(pidFile: string): Promise<number | null> {
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0])
  const found = pid > 0 ? spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout : ''
  return found.includes('postgres') && !found.includes('defunct') ? pid : null
}

const childrenOf = (pid: number): number[] =>
  spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .stdout.trim()
    .split(/\s+/)
    .map(Number)

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    if (pid > 1) process.kill(pid, signal)
  } catch {
    // It has already exited.
  }
}

function fillUp(path: string): void {
  mkdirSync(join(path, '..'), { recursive: true })
  const file = openSync(path, 'w')
  try {
    for (const size of [1 << 20, 1 << 12, 1]) {
      const block = Buffer.alloc(size)
      try {
        for (;;) writeSync(file, block)
      } catch {
        // Full for blocks of this size.
      }
    }
  } finally {
    closeSync(file)
  }
}
