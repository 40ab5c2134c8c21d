import pg from 'pg'
import { restBody } from '../../server/features/data-api/rest-body.ts'
import { forgetText } from '../../server/features/data-api/rows/kept-text.ts'
import type { MarketData } from '../../server/features/market-data/market-data.ts'
import { getBars } from '../../server/features/market-data/tools/get-bars.ts'
import { DAYS, dayText, SYMBOLS, syntheticBars } from './synthetic.ts'
import { inTurns, type Line, time } from './timing.ts'

const ROWS = 252
/** Imported by a variable name, so that the types check even where the peers are not installed. */
const duckdbPackage: string = '@duckdb/node-api'

/**
 * A year of one symbol's bars as JSON text, from our store, PostgreSQL's json_agg and DuckDB: the same rows, one
 * caller, no HTTP.
 */
export async function serveAYear(
  market: MarketData,
  csvPath: string,
  databaseUrl: string,
  seconds: number,
): Promise<Line[]> {
  const ask = (call: number) => {
    const first = (call * 37) % (DAYS - ROWS)
    return {
      symbol: `SYN.${String(call % SYMBOLS).padStart(4, '0')}`,
      from: dayText(first),
      to: dayText(first + ROWS - 1),
    }
  }
  const entry = { tool: getBars } as Parameters<typeof restBody>[0]
  const ours = (call: number) => {
    const input = getBars.input.parse({ ...ask(call), limit: 1000 })
    const output = getBars.run(input as never, { market } as never)
    return restBody(entry, output, 'json').content
  }
  const afresh = (call: number) => {
    forgetText()
    return ours(call)
  }

  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    'create table bars (symbol text, day date, open float8, high float8, low float8, close float8, volume float8, primary key (symbol, day))',
  )
  for (let symbol = 0; symbol < SYMBOLS; symbol++) await insertSymbol(client, symbol)
  await client.query('vacuum analyze bars')
  const postgres = async (call: number): Promise<string> => {
    const { symbol, from, to } = ask(call)
    const { rows } = await client.query({
      name: 'year',
      text: `select json_agg(json_build_object('date', day, 'open', open, 'high', high, 'low', low, 'close', close, 'volume', volume) order by day)::text as data
             from bars where symbol = $1 and day between $2 and $3`,
      values: [symbol, from, to],
    })
    return rows[0].data as string
  }

  const { DuckDBInstance } = await import(duckdbPackage)
  const duck = await (await DuckDBInstance.create(':memory:')).connect()
  await duck.run(`create table bars as select * from read_csv('${csvPath}') order by symbol, date`)
  const prepared = await duck.prepare(
    'select date, open, high, low, close, volume from bars where symbol = $1 and date between $2::date and $3::date order by date',
  )
  const duckdb = async (call: number): Promise<string> => {
    const { symbol, from, to } = ask(call)
    prepared.bind([symbol, from, to])
    return JSON.stringify((await prepared.runAndReadAll()).getRowObjectsJson())
  }

  const closes = (text: string) =>
    (JSON.parse(text).data ?? JSON.parse(text)).map((row: { date: string; close: number }) => [row.date, row.close])
  const own = closes(String(ours(5)))
  for (const [name, other] of [
    ['PostgreSQL', await postgres(5)],
    ['DuckDB', await duckdb(5)],
  ] as const)
    if (own.length !== ROWS || JSON.stringify(own) !== JSON.stringify(closes(other)))
      throw new Error(`${name} answers other rows.`)

  const cold = await time(afresh, seconds)
  const [a, b, c] = await inTurns([ours, postgres, duckdb], seconds)
  await client.end()
  const ratio = (other: { p50Ms: number }, own = a) => other.p50Ms / own.p50Ms
  const line = (what: string, figure: { p50Ms: number; p99Ms: number }) => ({
    what,
    figure: `p50 ${figure.p50Ms.toFixed(2)} ms, p99 ${figure.p99Ms.toFixed(2)} ms`,
  })
  return [
    { ...line(`${ROWS} bars to JSON, our store`, a), target: '', met: null },
    { ...line(`${ROWS} bars to JSON, our store, without cached text`, cold), target: '', met: null },
    {
      ...line(`${ROWS} bars to JSON, PostgreSQL json_agg`, b),
      target: 'at least 20 times slower than ours',
      met: ratio(b) >= 20,
    },
    { ...line(`${ROWS} bars to JSON, DuckDB in memory`, c), target: 'slower than ours', met: ratio(c) > 1 },
    {
      what: 'PostgreSQL / ours, DuckDB / ours (p50)',
      figure: `${ratio(b).toFixed(1)}, ${ratio(c).toFixed(1)}; without cached text ${ratio(b, cold).toFixed(1)}, ${ratio(c, cold).toFixed(1)}`,
      target: '',
      met: null,
    },
  ]
}

async function insertSymbol(client: pg.Client, symbol: number): Promise<void> {
  const bars = [...syntheticBars(symbol, DAYS)]
  const column = (pick: (bar: (typeof bars)[number]) => unknown) => bars.map(pick)
  await client.query(
    'insert into bars select * from unnest($1::text[], $2::date[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[])',
    [
      column((bar) => bar.symbol),
      column((bar) => dayText(bar.day)),
      column((bar) => bar.open),
      column((bar) => bar.high),
      column((bar) => bar.low),
      column((bar) => bar.close),
      column((bar) => bar.volume),
    ],
  )
}
