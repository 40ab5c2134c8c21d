import pg from 'pg'
import { type BarColumns, cutBars } from '../bars/bar-series.ts'
import { columnsAt, symbolBytes } from '../bars/bar-set.ts'
import { MINUTES_PER_DAY } from '../dates.ts'
import type { OnDemand } from '../manifest.ts'
import type { BlockSource } from './block-source.ts'
import type { BlockTable } from './block-table.ts'
import { barsText, daysText } from './sql-text.ts'

const SECONDS_PER_DAY = 86_400
/** What a block counts for when neighbors are read together: 64 years of days, or four months of minutes. */
const YEAR_BYTES = 2 ** 14
const MONTH_BYTES = 2 ** 18
const columns = ['times', 'open', 'high', 'low', 'close', 'volume'] as const

/** A database whose bars are read when a call needs them. */
export interface BarDatabase {
  /** Rows of at most six numbers. Rejects after the deadline. */
  query: (text: string, values: readonly unknown[]) => Promise<number[][]>
}

/**
 * Connections are made when needed, at most `queries` at once, and end when idle, so a version that is no longer served
 * holds none. Errors do not contain the connection string.
 */
export function openBarDatabase(connectionString: string, { deadline_ms, queries }: OnDemand): BarDatabase {
  const pool = new pg.Pool({
    connectionString,
    max: queries,
    connectionTimeoutMillis: deadline_ms,
    // The server ends a query at its deadline; this is for a server that does not answer at all.
    query_timeout: deadline_ms + 500,
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
  })
  // A lost connection rejects the running query; the event itself, of the pool or of a client in use, must not end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    async query(text, values) {
      const client = await pool.connect()
      let failed = true
      try {
        await client.query(`begin read only; set local statement_timeout = ${deadline_ms}; set local timezone = 'UTC'`)
        const { rows } = await client.query({ text, values: [...values], rowMode: 'array' })
        await client.query('commit')
        failed = false
        return rows as unknown as number[][]
      } finally {
        client.release(failed)
      }
    },
  }
}

/** The blocks of one symbol, or of the days made of its minutes. */
export function sqlBlocks(
  database: BarDatabase,
  table: BlockTable,
  { of, symbol, interval, ofMinutes }: { of: OnDemand; symbol: string; interval: '1d' | '1m'; ofMinutes: boolean },
): BlockSource {
  const text = ofMinutes ? daysText(of) : barsText(of)
  const secondsOfUnit = interval === '1d' ? SECONDS_PER_DAY : 60
  const unitsPerDay = interval === '1d' ? 1 : MINUTES_PER_DAY
  const shown = (time: number) => new Date(time * secondsOfUnit * 1000).toISOString()
  return {
    bytes: (first, end) => (end - first) * (interval === '1d' ? YEAR_BYTES : MONTH_BYTES),
    async *read(first, counts) {
      const total = counts.reduce((sum, count) => sum + count, 0)
      const lastTime = table.lastTimes[first + counts.length - 1]!
      const until = ofMinutes ? (lastTime + 1) * SECONDS_PER_DAY * 1000 - 1 : lastTime * secondsOfUnit * 1000
      const from = table.firstTimes[first]!
      const to = new Date(until).toISOString()
      const bounds = unitsPerDay === 1 && !ofMinutes ? [shown(from).slice(0, 10), to.slice(0, 10)] : [shown(from), to]
      const bars = toColumns(await database.query(text, [symbol, ...bounds, total + 1]), secondsOfUnit)
      const changed = () =>
        new Error(`The bars of ${symbol} were changed since they were published: publish them again.`)
      if (bars.times.length !== total) throw changed()
      checkRows(bars, changed)
      let at = 0
      for (const [index, count] of counts.entries()) {
        const block = first + index
        const own = copyOf(cutBars(bars, at, at + count))
        if (own.times[0] !== table.firstTimes[block] || own.times.at(-1) !== table.lastTimes[block]) throw changed()
        yield own
        at += count
      }
    },
  }
}

function toColumns(rows: readonly number[][], secondsOfUnit: number): BarColumns {
  const bars = columnsAt(new ArrayBuffer(symbolBytes(rows.length)), 0, rows.length)
  for (const [index, row] of rows.entries())
    for (const [place, name] of columns.entries())
      bars[name][index] = place === 0 ? Math.floor(row[0]! / secondsOfUnit) : row[place]!
  return bars
}

/** Each block holds its own memory, so that it can be evicted alone. */
function copyOf(bars: BarColumns): BarColumns {
  const copy = columnsAt(new ArrayBuffer(symbolBytes(bars.times.length)), 0, bars.times.length)
  for (const name of columns) (copy[name] as Float64Array).set(bars[name])
  return copy
}

/** What was checked when it was published. */
function checkRows({ times, open, high, low, close, volume }: BarColumns, changed: () => Error): void {
  for (let i = 0; i < times.length; i++) {
    const isOrdered =
      low[i]! > 0 && low[i]! <= Math.min(open[i]!, close[i]!) && high[i]! >= Math.max(open[i]!, close[i]!)
    if (!isOrdered || !(volume[i]! >= 0) || (i > 0 && times[i]! <= times[i - 1]!)) throw changed()
  }
}
