import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { DB } from './schema.gen.ts'

/** The application's database: Kysely for ordinary SQL, the pool for prepared and batched statements. */
export interface Database {
  kysely: Kysely<DB>
  pool: pg.Pool
  close: () => Promise<void>
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

/** Opens a pool on `connectionString`; nothing connects before the first query. */
export function openDatabase(connectionString: string, poolSize: number, onError: (error: Error) => void): Database {
  const pool = new pg.Pool({
    connectionString,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    application_name: 'finmeter',
  })
  // The pool resolves `end` before its connections are closed: errors from then on are expected.
  let closing = false
  const report = (error: Error): void => {
    if (!closing) onError(error)
  }
  pool.on('error', report)
  // A checked-out connection that breaks emits its error on the client; unhandled, it would end the process.
  pool.on('connect', (client) => client.on('error', report))
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  return {
    kysely,
    pool,
    close() {
      closing = true
      return kysely.destroy()
    },
  }
}
