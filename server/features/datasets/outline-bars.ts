import pg from 'pg'
import { ownOf } from '../../json-schema/own-of.ts'
import { type BlockTable, tableBytes } from '../market-data/bar-store/block-table.ts'
import { outlineText, typesText } from '../market-data/bar-store/sql-text.ts'
import { dayText } from '../market-data/dates.ts'
import type { BarBlocksManifest, OnDemand } from '../market-data/manifest.ts'
import type { BarsFile, Source } from './dataset-file.ts'
import { instrumentOf } from './import-bars.ts'
import type { ImportedData } from './import-dataset.ts'
import type { Findings } from './report.ts'

type SqlSource = Extract<Source, { type: 'sql' }>
type Field = keyof OnDemand['columns']

const BLOCKS_PER_FETCH = 10_000
const required: readonly Field[] = ['symbol', 'date', 'open', 'high', 'low', 'close']
const SECONDS_PER_DAY = 86_400
const { DATE, TIMESTAMP, TIMESTAMPTZ } = pg.types.builtins

/** A block as the database describes it. */
interface Outline {
  symbol: string | null
  bars: number
  times: number
  first: number
  last: number
  days: number
  /** Rows whose time is no whole minute. */
  odd: number
  /** Rows whose prices break a rule. */
  bad: number
}

/** Blocks of all symbols, in the order of the table. */
type Growing = { [name in Exclude<keyof BlockTable, 'offsets'>]: number[] }

/**
 * What a version of bars that stay in a database needs: how many bars each symbol has in each block. The database checks
 * the rows, and only these sums are sent. Throws without revealing the connection string.
 */
export async function outlineBars(
  dataset: BarsFile,
  source: SqlSource,
  env: NodeJS.ProcessEnv,
  findings: Findings,
): Promise<ImportedData> {
  const onDemand = onDemandOf(dataset, source)
  const connectionString = env[source.connection]
  if (!connectionString)
    throw new Error(`${dataset.id}: set ${source.connection} to the connection string of the database.`)
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  const table: Growing = { firstTimes: [], lastTimes: [], firstBars: [] }
  const symbols: BarBlocksManifest['symbols'] = []
  let rows = 0
  try {
    await client.connect()
    await client.query('begin isolation level repeatable read, read only')
    await client.query(`set local statement_timeout = ${source.timeout_seconds * 1000}; set local timezone = 'UTC'`)
    checkTimeType(dataset, (await client.query(typesText(onDemand))).fields)
    await client.query(`declare blocks no scroll cursor for ${outlineText(onDemand, dataset.interval)}`)
    let own: Outline[] = []
    const finish = () => {
      if (own.length > 0) symbols.push(addSymbol(dataset, own, table, findings))
      own = []
    }
    for (;;) {
      const fetched = await client.query<Outline>(`fetch ${BLOCKS_PER_FETCH} from blocks`)
      if (fetched.rows.length === 0) break
      for (const block of fetched.rows) {
        if (own.length > 0 && own[0]!.symbol !== block.symbol) finish()
        own.push(block)
        rows += block.bars
      }
    }
    finish()
  } catch (error) {
    throw new Error(`${dataset.id}: the query failed: ${(error as Error).message}.`)
  } finally {
    await client.end().catch(() => {})
  }
  if (rows === 0) findings.error('no_rows', 'the source has no rows')
  const { interval, basis, volume_basis, currency, timezone } = dataset
  const dates = symbols.flatMap(({ first, last }) => [first, last]).sort()
  return {
    rows,
    content: tableBytes({
      // No block has bytes in the file.
      offsets: new Float64Array(table.firstTimes.length + 1),
      firstTimes: Int32Array.from(table.firstTimes),
      lastTimes: Int32Array.from(table.lastTimes),
      firstBars: Int32Array.from(table.firstBars),
    }),
    file: 'bars.blocks',
    first: dates[0] ?? '',
    last: dates.at(-1) ?? '',
    own: {
      ...{ kind: 'bar_blocks', interval, basis, volume_basis, currency, timezone, symbols },
      blocks: table.firstTimes.length,
      on_demand: onDemand,
    },
  }
}

function onDemandOf({ id, fields }: BarsFile, source: SqlSource): OnDemand {
  const absent = required.find((name) => !(name in fields))
  if (absent) throw new Error(`${id}: fields must map ${required.join(', ')}; ${absent} is missing.`)
  const extra = Object.keys(fields).find((name) => ![...required, 'volume'].includes(name as Field))
  if (extra)
    throw new Error(`${id}: bars that are read on demand have no field ${extra}. Import them, or state a basis.`)
  const { connection, query, deadline_ms, queries } = source
  return { connection, query, deadline_ms, queries, columns: fields as OnDemand['columns'] }
}

/** Times are compared in the database, so they must be times there, too. */
function checkTimeType({ id, fields, interval, timezone }: BarsFile, types: pg.FieldDef[]): void {
  const type = types.find(({ name }) => name === fields.date)?.dataTypeID
  if (type === undefined) throw new Error(`the query has no column ${fields.date}`)
  const isFit =
    interval === '1d' ? type === DATE : type === TIMESTAMPTZ || (type === TIMESTAMP && timezone.toUpperCase() === 'UTC')
  if (!isFit)
    throw new Error(
      `the column ${fields.date} of ${id} must have the type ${interval === '1d' ? 'date' : 'timestamptz, or timestamp with timezone: UTC'}`,
    )
}

function addSymbol(
  dataset: BarsFile,
  blocks: readonly Outline[],
  table: Growing,
  findings: Findings,
): BarBlocksManifest['symbols'][number] {
  const { interval } = dataset
  const theirs = blocks[0]!.symbol ?? ''
  const symbol = ownOf(dataset.symbol_map, theirs) ?? theirs
  const seconds = interval === '1d' ? SECONDS_PER_DAY : 60
  const day = (second: number) => Math.floor(second / SECONDS_PER_DAY)
  if (symbol === '') findings.error('no_symbol', `column ${dataset.fields.symbol}: empty`)
  for (const { bars, times, first, odd, bad } of blocks) {
    const from = `${symbol} from ${dayText(day(first))}`
    if (bars > times) findings.error('duplicate', `${from}: two bars for the same time`)
    if (odd > 0) findings.error('bad_date', `${from}: ${odd} rows whose time is no whole minute`)
    if (bad > 0) findings.error('bad_prices', `${from}: ${bad} rows with prices out of order, not above 0, or missing`)
  }
  const add = (parts: readonly { first: number; last: number; count: number }[]): [number, number] => {
    const start = table.firstTimes.length
    let count = 0
    for (const part of parts) {
      table.firstTimes.push(part.first)
      table.lastTimes.push(part.last)
      table.firstBars.push(count)
      count += part.count
    }
    return [start, parts.length]
  }
  const unit = (second: number) => Math.floor(second / seconds)
  const at = add(blocks.map(({ first, last, bars }) => ({ first: unit(first), last: unit(last), count: bars })))
  return {
    ...instrumentOf(dataset, symbol),
    ...(theirs !== symbol && { source_symbol: theirs }),
    first: dayText(day(blocks[0]!.first)),
    last: dayText(day(blocks.at(-1)!.last)),
    count: blocks.reduce((sum, { bars }) => sum + bars, 0),
    at,
    // A month of minutes is a block of days, too.
    ...(interval === '1m' && {
      days: [
        ...add(blocks.map(({ first, last, days }) => ({ first: day(first), last: day(last), count: days }))),
        blocks.reduce((sum, { days }) => sum + days, 0),
      ] as [number, number, number],
    }),
    actions: [],
  }
}
