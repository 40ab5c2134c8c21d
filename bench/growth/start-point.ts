import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../server/cli/connect.ts'
import { loadConfig } from '../../server/config/config.ts'
import { type Database, openDatabase } from '../../server/db/database.ts'
import { startEmbedded } from '../../server/db/embedded.ts'
import { migrate } from '../../server/db/migrate.ts'
import { createToolRegistry } from '../../server/features/tools/registry.ts'
import { productTools } from '../../server/product-tools.ts'
import { localSecrets, secretsOf } from '../../server/secrets/secrets.ts'
import { makeAccounts } from '../accounts.ts'
import { type Finmeter, startFinmeter, startServer } from '../finmeter.ts'
import { flags } from '../operator.ts'
import { TOOL } from '../requests.ts'
import { fillRows } from './fill-rows.ts'
import { publishOperations } from './publish-operations.ts'
import type { Size } from './sizes.ts'

/** Measured starts, after one that makes what only a first start makes. */
const STARTS = 3
const STOP_MS = 300_000
const SETTLE_MS = 2_000

/** The running product, on a database of some size. */
export interface Point {
  size: Size
  finmeter: Finmeter
  keys: string[]
  /** Rows that were there before its first call. */
  seeded: number
  readyMs: number[]
}

/** Fills a new database, starts the product on it a few times, and leaves it running. `upstream`: the port of the API that is sold. */
export async function startPoint(size: Size, upstream: number, say: (line: string) => void): Promise<Point> {
  const readyMs: number[] = []
  let made = { keys: [] as string[], seeded: 0 }
  const finmeter = await startFinmeter([], undefined, async (env) => {
    made = await fill(env, size, upstream, say)
    for (let start = 0; start < STARTS; start++) {
      const server = await startServer(env)
      if (start > 0) readyMs.push(server.readyMs)
      await settled(env)
      await server.stop()
    }
  })
  return { size, finmeter, ...made, readyMs: [...readyMs, finmeter.readyMs] }
}

/** A server that is stopped while it reads the catalog keeps its lease, and the next one waits for it. */
async function settled(env: NodeJS.ProcessEnv): Promise<void> {
  const { db, close } = await connect(env)
  try {
    do await sleep(SETTLE_MS)
    while ((await db.pool.query('select from billing_leases where until > clock_timestamp()')).rowCount! > 0)
  } finally {
    await close()
  }
}

async function fill(
  env: NodeJS.ProcessEnv,
  { accounts, operations, rows }: Size,
  upstream: number,
  say: (line: string) => void,
): Promise<{ keys: string[]; seeded: number }> {
  const config = loadConfig(env)
  const postgres = await startEmbedded(config.FINMETER_DATA_DIR, localSecrets(config).databasePassword, { flags })
  const db = openDatabase(postgres.connectionString, 4, () => {})
  try {
    await migrate(db)
    const keys = await makeAccounts(db, secretsOf(config), accounts)
    await publishOperations(db, operations, upstream)
    const seeded = await fillRows(db, { rows, toolId: await toolId(db), say })
    await db.pool.query('vacuum analyze')
    await db.pool.query('checkpoint')
    return { keys, seeded }
  } finally {
    await db.close()
    await postgres.stop(STOP_MS)
  }
}

const toolId = async (db: Database): Promise<number> =>
  (await createToolRegistry(productTools, db)).current().get(TOOL)!.id
