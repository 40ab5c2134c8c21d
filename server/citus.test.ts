import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from './db/database.ts'
import { citusNodes, distributeBucket, drainNode, moveBucketToNode } from './db/distribute.ts'
import { freePort } from './db/embedded.ts'
import { makeBucket } from './db/make-bucket.ts'
import { migrate } from './db/migrate.ts'
import { readPlacement } from './db/placement.ts'
import { settleAccounts } from './features/credits/settle.ts'
import { foldUsage } from './features/metering/fold.ts'
import { keepPartitions } from './features/metering/partitions.ts'
import { makeLoadTestAccount } from './features/operator/make-load-test-account.ts'
import { createLog } from './log.ts'
import { createSecrets } from './secrets/secrets.ts'
import { type CitusDatabase, createCitusDatabase } from './testing/citus-database.ts'
import { type ServerProcess, startServerProcess } from './testing/process.ts'
import type { ProofAccount } from './testing/proof/accounts.ts'
import { callUntilDone } from './testing/proof/callers.ts'
import { compare } from './testing/proof/compare.ts'
import { openRelay, type Relay } from './testing/proof/relay.ts'
import { asks, send } from './testing/proof/requests.ts'
import { newSeen } from './testing/proof/seen.ts'
import { runDoctor } from './testing/run-admin.ts'

/** The coordinator of a Citus cluster with at least two workers, as a superuser. Citus is in no distribution's packages. */
const clusterUrl = process.env.CITUS_URL
if (!clusterUrl) console.log('skipped: Citus (set CITUS_URL to a coordinator with two workers)')

const KEYS_SECRET = 'ef'.repeat(32)
const BUCKETS = [0, 1, 2, 3]
const ACCOUNTS = 16
const nothingListens = 1

describe.skipIf(!clusterUrl)('buckets on Citus', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'finmeter-citus-'))
  const log = createLog({ LOG_LEVEL: 'silent' })
  let citus: CitusDatabase
  let db: Database
  /** Reads over all buckets. */
  let everything: Database
  let servers: { port: number; process: ServerProcess }[]
  let accounts: (ProofAccount & { bucket: number })[]
  let coordinator: Relay
  /** The way of the servers to each worker. */
  const workers = new Map<string, { relay: Relay; port: number }>()
  const seen = newSeen()
  const agent = new Agent({ keepAlive: true })

  beforeAll(async () => {
    citus = await createCitusDatabase(clusterUrl!)
    const setup = openDatabase(citus.url, 2, () => {})
    await migrate(setup)
    for (const bucket of BUCKETS.slice(1)) await makeBucket(setup, bucket)
    for (const bucket of BUCKETS) await distributeBucket(setup, bucket)
    await setup.close()
    const placement = await readPlacement(citus.url, citus.workers, log)
    placement.close()
    db = openDatabase(citus.url, 4, () => {}, 'public', placement)
    everything = openDatabase(citus.url, 2, () => {}, 'metering, public', placement)
    coordinator = await openRelay()
    coordinator.target(Number(new URL(citus.url).port))
    for (const [name, url] of citus.workers) {
      const port = Number(new URL(url).port)
      const relay = await openRelay()
      relay.target(port)
      workers.set(name, { relay, port })
    }
    const start = async () => {
      const port = await freePort()
      const process = startServerProcess({
        NODE_ENV: 'test',
        DATABASE_URL: through(citus.url, coordinator),
        DATABASE_NODES: [...citus.workers]
          .map(([name, url]) => `${name}=${through(url, workers.get(name)!.relay)}`)
          .join(','),
        KEYS_SECRET,
        PORT: String(port),
        LOG_LEVEL: 'warn',
        FINMETER_DATA_DIR: dataDir,
      })
      await process.ready
      return { port, process }
    }
    servers = [await start(), await start()]
    accounts = []
    for (let n = 0; n < ACCOUNTS; n++) {
      const kind = n % 4 === 0 ? 'poor' : 'rich'
      const { accountId, key } = await makeLoadTestAccount(
        db.kysely,
        createSecrets(KEYS_SECRET),
        kind === 'poor' ? 40 : 1_000_000,
      )
      const row = await db.kysely
        .selectFrom('accounts')
        .select(['id', 'bucket'])
        .where('public_id', '=', accountId)
        .executeTakeFirstOrThrow()
      accounts.push({ ...row, kind, key })
    }
  }, 300_000)

  afterAll(async () => {
    await Promise.all((servers ?? []).map(({ process }) => process.stop()))
    await Promise.all([db?.close(), everything?.close()])
    for (const { relay } of workers.values()) await relay.close()
    await coordinator?.close()
    await citus?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** Callers run until `meanwhile` has ended and each has sent some calls. */
  async function whileCalled(meanwhile: () => Promise<unknown>, of = accounts): Promise<void> {
    let over = false
    const from = seen.sent
    const done = () => over && seen.sent >= from + 1_000
    const callers = Array.from({ length: 16 }, () =>
      callUntilDone({ accounts: of, ports: () => servers.map(({ port }) => port), seen, done, failed: () => false }),
    )
    await meanwhile().finally(() => (over = true))
    await Promise.all(callers)
  }

  const differences = async (): Promise<string[]> => (await compare(everything, accounts, seen)).differences

  test('accounts are spread over buckets, and buckets over workers', async () => {
    expect(new Set(accounts.map(({ bucket }) => bucket))).toEqual(new Set(BUCKETS))
    const nodes = await citusNodes(db.kysely)
    expect(nodes.filter(({ buckets }) => buckets.length > 0).length).toBeGreaterThan(1)
    expect(nodes.flatMap(({ buckets }) => buckets).sort()).toEqual(BUCKETS)
  })

  test('doctor names the nodes, and one that cannot be reached', async () => {
    const nodes = await citusNodes(db.kysely)
    const lines = async (env: NodeJS.ProcessEnv) =>
      (await runDoctor(citus.url, [], { KEYS_SECRET, FINMETER_DATA_DIR: dataDir, ...env })).out.split('\n')
    const told = await lines({})
    for (const { name, buckets } of nodes)
      expect(told).toContain(
        `ok     node ${name} answers, ${buckets.length === 1 ? '1 bucket' : `${buckets.length} buckets`}`,
      )
    const [gone] = nodes
    const address = `${gone!.name}=postgres://postgres@127.0.0.1:${nothingListens}/postgres`
    expect(await lines({ DATABASE_NODES: address })).toContainEqual(
      expect.stringContaining(`WRONG  node ${gone!.name} cannot be reached (`),
    )
  })

  test('two servers charge exactly, beside the jobs of each bucket', async () => {
    await whileCalled(async () => {
      await settleAccounts(db)
      await foldUsage(db)
      await keepPartitions(db)
    })
    expect(seen.charged).toBeGreaterThan(500)
    expect(await differences()).toEqual([])
  })

  test('a bucket moves to another node while it is charged', async () => {
    const [from, to] = await citusNodes(db.kysely)
    const bucket = from!.buckets[0]!
    const before = seen.unavailable
    await whileCalled(() => moveBucketToNode(db, bucket, to!.name))
    expect((await citusNodes(db.kysely)).find(({ name }) => name === to!.name)!.buckets).toContain(bucket)
    expect(seen.unavailable).toBe(before)
    expect(await differences()).toEqual([])
  })

  test('a node that is gone answers 503 for its buckets only, and is used again when it is back', async () => {
    const [gone] = await citusNodes(db.kysely)
    const own = accounts.find(({ kind, bucket }) => kind === 'rich' && gone!.buckets.includes(bucket))!
    const other = accounts.find(({ kind, bucket }) => kind === 'rich' && !gone!.buckets.includes(bucket))!
    const { relay, port } = workers.get(gone!.name)!
    relay.target(nothingListens)
    relay.cut()
    try {
      await expect.poll(() => ask(own)).toBe(503)
      expect(await ask(other)).toBe(200)
    } finally {
      relay.target(port)
    }
    await expect.poll(() => ask(own)).toBe(200)
    await whileCalled(async () => {})
    expect(await differences()).toEqual([])
  })

  test('without the coordinator nothing is lost, and calls are answered again when it is back', async () => {
    await whileCalled(async () => {
      coordinator.target(nothingListens)
      coordinator.cut()
      await expect.poll(() => ask(accounts[1]!)).toBe(503)
      coordinator.target(Number(new URL(citus.url).port))
    })
    await expect.poll(() => ask(accounts[1]!)).toBe(200)
    expect(await differences()).toEqual([])
  })

  test('a node is drained while it is charged', async () => {
    const [node] = await citusNodes(db.kysely)
    const moved: number[] = []
    await whileCalled(() => drainNode(db, node!.name, (bucket) => moved.push(bucket)))
    expect(moved.sort()).toEqual(node!.buckets.toSorted())
    expect((await citusNodes(db.kysely)).find(({ name }) => name === node!.name)!.buckets).toEqual([])
    expect(await differences()).toEqual([])
  })

  /** One call, counted like those of the callers. */
  async function ask(account: ProofAccount): Promise<number> {
    seen.sent++
    const { status, receipt, credits } = await send(agent, servers[0]!.port, asks[0]!, account.key)
    if (status === 200) seen.receipts.set(receipt, { accountId: account.id, least: credits, most: credits })
    return status
  }
})

function through(url: string, { port }: Relay): string {
  const address = new URL(url)
  address.hostname = '127.0.0.1'
  address.port = String(port)
  return address.href
}
