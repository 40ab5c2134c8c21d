import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../db/database.ts'
import { freePort } from '../../db/embedded.ts'
import { migrate } from '../../db/migrate.ts'
import { makeServiceKey } from '../../features/meter-door/make-service-key.ts'
import { checkInvariants } from '../../features/metering/invariants.ts'
import { createSecrets } from '../../secrets/secrets.ts'
import { type ServerProcess, startServerProcess } from '../process.ts'
import { feed, makeProofAccounts } from './accounts.ts'
import { callUntilDone } from './callers.ts'
import { startCluster } from './cluster.ts'
import { type Compared, compare } from './compare.ts'
import { endHolds } from './end-holds.ts'
import { faults, untilAnswered } from './faults.ts'
import { newSeen, type Seen } from './seen.ts'
import { publishUpstream } from './upstream/publish-upstream.ts'
import { startUpstream } from './upstream/start-upstream.ts'

export interface ProofOptions {
  /** Minimum number of calls; every fault is injected at least once, even in a short run. */
  calls: number
  callers: number
  /** Calls between two faults. */
  callsPerFault: number
  diskMegabytes: number
  buckets?: number
  say: (line: string) => void
}

export interface ProofResult
  extends Compared,
    Pick<Seen, { [K in keyof Seen]: Seen[K] extends number ? K : never }[keyof Seen]> {
  /** Holds whose calls ended without a settlement, and that expired. */
  expired: number
  faults: Record<string, number>
  /** How often the invariants were checked during the run, each time without a violation. */
  checks: number
  diskCouldBeFilled: boolean
  seconds: number
}

const KEYS_SECRET = 'ef'.repeat(32)
const ACCOUNTS_OF_A_KIND = 4
/** A system that does not recover must fail the proof, not run it forever. */
const FAULT_TIMEOUT_MS = 120_000

/**
 * Runs two servers on one PostgreSQL under load, with one fault after another, then compares what clients saw with the
 * rows.
 */
export async function runProof({
  calls,
  callers,
  callsPerFault,
  diskMegabytes,
  buckets = 1,
  say,
}: ProofOptions): Promise<ProofResult> {
  const startedAt = performance.now()
  const cluster = await startCluster(diskMegabytes)
  const dataDir = await mkdtemp(join(tmpdir(), 'finmeter-proof-data-'))
  // With several buckets, it reads the views over all.
  const db = openDatabase(cluster.controlUrl, 4, () => {}, ...(buckets > 1 ? ['metering, public'] : []))
  const upstream = await startUpstream(dataDir)
  const servers: { port: number; process: ServerProcess }[] = []
  const streaming = new Map<number, number>()
  const seen = newSeen()
  let stopped = false
  let ending = false
  let died: string | null = null
  try {
    await migrate(db, { buckets })
    await publishUpstream(db, upstream.url)
    const serviceKey = (await makeServiceKey(db.kysely, ['proof'])).value
    const accounts = await makeProofAccounts(db, createSecrets(KEYS_SECRET), ACCOUNTS_OF_A_KIND)
    const start = async (): Promise<void> => {
      const port = await freePort()
      const process = startServerProcess({
        NODE_ENV: 'test',
        DATABASE_URL: cluster.url,
        KEYS_SECRET,
        PORT: String(port),
        LOG_LEVEL: 'silent',
        // A shared directory, so that the next server voids the batches that a killed one had given up.
        FINMETER_DATA_DIR: dataDir,
      })
      await process.ready
      const server = { port, process }
      servers.push(server)
      // A server that exits on its own fails the proof: no database fault may end it.
      void process.ended.then(({ code, signal, output }) => {
        if (servers.includes(server) && !ending)
          died = `A server ended by itself (${signal ?? code}): ${output.slice(-2000)}`
      })
    }
    await start()
    await start()
    const killServer = async (): Promise<void> => {
      const victim = servers.shift()!
      victim.process.child.kill('SIGKILL')
      await victim.process.ended
      await start()
    }

    let planned = Number.POSITIVE_INFINITY
    const done = () => stopped || died !== null || (seen.sent >= calls && planned === 0)
    const ports = () => servers.map(({ port }) => port)
    const failed = () => stopped || died !== null
    const shared = { accounts, ports, seen, done, failed, upstream: { db, serviceKey, streaming } }
    const calling = Array.from({ length: callers }, () => callUntilDone(shared))
    const feeding = (async () => {
      const poor = accounts.filter(({ kind }) => kind === 'poor')
      for (let round = 0; !done(); round++) {
        for (const account of poor) await untilAnswered(() => feed(db, account, `${account.id}-${round}`))
        await sleep(500)
      }
    })()

    const injected: Record<string, number> = {}
    const plan = faults({
      ...{ cluster, db, killServer, upstream, seen, failed },
      streaming: () => ({
        next: streaming.get(ports()[0]!) ?? 0,
        all: ports().reduce((sum, port) => sum + (streaming.get(port) ?? 0), 0),
      }),
    })
    planned = plan.length
    let checks = 0
    for (let i = 0; !done(); i++) {
      const from = seen.sent
      while (!done() && seen.sent < from + callsPerFault) await sleep(20)
      if (done()) break
      const fault = plan[i % plan.length]!
      say(`${seen.sent} calls sent; ${fault.name}`)
      await inTime(fault.name, fault.inject())
      injected[fault.name] = (injected[fault.name] ?? 0) + 1
      planned = Math.max(0, planned - 1)
      const violations = await untilAnswered(() => checkInvariants(db))
      if (violations.length > 0) throw new Error(`After ${fault.name}: ${JSON.stringify(violations)}`)
      checks++
    }
    await Promise.all([...calling, feeding])
    if (died) throw new Error(died)
    cluster.wire.mend()
    const expired = await endHolds({ db, ports, seen, serviceKey })
    ending = true
    // Servers that stop cleanly first void the calls that they answered with 503.
    await Promise.all(servers.map(({ process }) => process.stop()))
    const compared = await untilAnswered(() => compare(db, accounts, seen, upstream.orders()))
    const { receipts: _, lost: _lost, streams: _streams, orders: _orders, ...counts } = seen
    return {
      ...counts,
      ...compared,
      expired,
      faults: injected,
      checks,
      diskCouldBeFilled: cluster.fillDisk !== null,
      seconds: (performance.now() - startedAt) / 1000,
    }
  } finally {
    stopped = true
    ending = true
    await Promise.all(servers.map(({ process }) => process.stop()))
    await db.close()
    await cluster.close()
    await upstream.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function inTime(name: string, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, failed) => {
    timer = setTimeout(() => failed(new Error(`The system did not recover from: ${name}`)), FAULT_TIMEOUT_MS)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
