import pg from 'pg'
import type { DatasetFile, Source } from '../dataset-file.ts'
import { objectBatch, type Rows } from '../row-batch.ts'

type SqlSource = Extract<Source, { type: 'sql' }>
const ROWS_PER_FETCH = 10_000

/**
 * Rows of a PostgreSQL query, in a read-only transaction with a time limit. Throws without revealing the connection
 * string.
 */
export async function* sqlRows(dataset: DatasetFile, source: SqlSource, env: NodeJS.ProcessEnv): Rows {
  const connectionString = env[source.connection]
  if (!connectionString)
    throw new Error(`${dataset.id}: set ${source.connection} to the connection string of the database.`)
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  // A lost connection rejects the running query; the event itself must not end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('begin read only')
    await client.query(`set local statement_timeout = ${source.timeout_seconds * 1000}`)
    await client.query({ text: `declare rows no scroll cursor for ${source.query.replace(/;\s*$/, '')}` })
    for (let from = 0; ; ) {
      const { rows } = await client.query(`fetch ${ROWS_PER_FETCH} from rows`)
      if (rows.length === 0) return
      const start = from
      yield objectBatch(
        dataset,
        rows.map((row) => plain(row, dataset)),
        {},
        (index) => `query row ${start + index + 1}`,
      )
      from += rows.length
    }
  } catch (error) {
    throw new Error(`${dataset.id}: the query failed: ${(error as Error).message}.`)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Dates as text, as in the database's calendar: the driver would turn them into local midnights. */
const plain = (row: Record<string, unknown>, dataset: DatasetFile): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? textOf(value, dataset) : value]),
  )

function textOf(date: Date, dataset: DatasetFile): string {
  const part = (value: number) => String(value).padStart(2, '0')
  const isMidnight = date.getHours() + date.getMinutes() + date.getSeconds() === 0
  // For minutes, midnight is a time as any other.
  const isDay = isMidnight && !(dataset.kind === 'bars' && dataset.interval === '1m')
  return isDay ? `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}` : date.toISOString()
}
