import { type Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { searchPathOf } from './bucket-schema.ts'
import { DatabaseClient } from './client.ts'
import { KnownTransactions } from './in-transaction.ts'
import { onePlace, type Placement } from './placement.ts'
import type { DB } from './schema.gen.ts'

/** The application's database: Kysely for ordinary SQL, the pool for prepared and batched statements. */
export interface Database {
  kysely: Kysely<DB>
  pool: pg.Pool
  /** How sessions beside the bucket's tables are opened, for connections outside the pool. It changes when the bucket moves. */
  readonly session: Session
  /** The handle beside the bucket's tables, for work that needs no other tables. Under Citus it is on another server. */
  readonly node: Database
  /** The same database as the accounts of a bucket see it: their metering tables, and everything that has no bucket. */
  of: (bucket: number) => Database
  close: () => Promise<void>
}

export interface Session {
  connectionString: string
  searchPath: string
}

/** Either the root handle or a transaction of it. Verbs that write take this, so that callers may join them together. */
export type Queryable = Kysely<DB>

// Ids and credits fit a double exactly (below 2^53); a larger value is a defect that must not be rounded silently.
pg.types.setTypeParser(20, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint out of range: ${text}`)
  return value
})
pg.types.setTypeParser(1700, (text) => Number(text))

/** Screens and jobs of one bucket need few connections; commits have their own. */
const BUCKET_POOL_SIZE = 4

/**
 * Opens a pool on `connectionString`; nothing connects before the first query. By default the handle serves bucket 0 too, which is
 * all there is unless buckets were added: see `openBuckets`.
 */
export function openDatabase(
  connectionString: string,
  poolSize: number,
  onError: (error: Error) => void,
  searchPath = searchPathOf(0),
  placement: Pick<Placement, 'urlOf'> = onePlace(connectionString),
): Database {
  const pools: Pool[] = []
  const open = (session: Session, size: number): Pool => {
    const pool = openPool(session, size, onError)
    pools.push(pool)
    return pool
  }
  const root = open({ connectionString, searchPath }, poolSize)
  const handles = new Map<number, Database>()
  const of = (bucket: number): Database => {
    const path = searchPathOf(bucket)
    const handle =
      handles.get(bucket) ??
      handleOf(bucket, searchPath === path ? root : open({ connectionString, searchPath: path }, BUCKET_POOL_SIZE))
    handles.set(bucket, handle)
    return handle
  }
  const close = async (): Promise<void> => void (await Promise.all(pools.map((pool) => pool.close())))
  const handleOf = (bucket: number, pool: Pool): Database => {
    const nodes = new Map<string, Database>()
    return {
      ...pool,
      of,
      close,
      get session() {
        return { connectionString: placement.urlOf(bucket), searchPath: searchPathOf(bucket) }
      },
      get node() {
        const { session } = this
        if (session.connectionString === connectionString) return this
        const node = nodes.get(session.connectionString) ?? inOnePlace(open(session, BUCKET_POOL_SIZE), session)
        nodes.set(session.connectionString, node)
        return node
      },
    }
  }
  const inOnePlace = (pool: Pool, session: Session): Database => {
    const db: Database = {
      ...pool,
      of,
      close,
      session,
      get node() {
        return db
      },
    }
    return db
  }
  return searchPath === searchPathOf(0) ? of(0) : inOnePlace(root, { connectionString, searchPath })
}

type Pool = Pick<Database, 'kysely' | 'pool' | 'close'>

function openPool(session: Session, poolSize: number, onError: (error: Error) => void): Pool {
  const pool = new pg.Pool({
    Client: DatabaseClient,
    connectionString: session.connectionString,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    application_name: 'finmeter',
    onConnect: async (client) => void (await client.query(`set search_path to ${session.searchPath}`)),
  })
  // The pool resolves `end` before its connections are closed: errors from then on are expected.
  let closing = false
  const report = (error: Error): void => {
    if (!closing) onError(error)
  }
  pool.on('error', report)
  // A checked-out connection that breaks emits its error on the client, not on the pool.
  pool.on('connect', (client) => client.on('error', report))
  const kysely = new KnownTransactions<DB>({ dialect: new PostgresDialect({ pool }) })
  return {
    kysely,
    pool,
    close() {
      closing = true
      return kysely.destroy()
    },
  }
}
