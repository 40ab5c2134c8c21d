import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { restBody } from '../../server/features/data-api/rest-body.ts'
import { heldSeries } from '../../server/features/market-data/bars/bar-series.ts'
import type { DatasetPart } from '../../server/features/market-data/dataset-part.ts'
import { assemble, type MarketData } from '../../server/features/market-data/market-data.ts'
import { getBars } from '../../server/features/market-data/tools/get-bars.ts'
import { DAYS, syntheticBars } from './synthetic.ts'
import type { Line } from './timing.ts'
import { speeds } from './transfer.ts'

const ROWS = 2_000_000
const NEW_LINE = 10
const ROWS_OF_AN_ANSWER = 1_000_000

/**
 * Exports one symbol with a very long history of minute bars as CSV, in streams of the maximum length, read in pieces
 * as a socket reads them.
 */
export async function exportStream(market: MarketData): Promise<Line[]> {
  const long = assemble([longSymbol(market.parts[0]!)])
  const entry = { tool: getBars } as Parameters<typeof restBody>[0]
  let lines = 0
  let greatest = 0
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  const busyBefore = process.cpuUsage()
  const started = performance.now()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const input = getBars.input.parse({
      symbol: 'SYN.LONG',
      interval: '1m',
      range: 'max',
      limit: ROWS_OF_AN_ANSWER,
      ...(cursor && { cursor }),
    })
    const output = getBars.run(input as never, { market: long, streams: true } as never)
    const { content, nextCursor } = restBody(entry, output, 'csv')
    if (!(content instanceof Readable)) throw new Error('This answer is no stream.')
    const socket = new Writable({
      write(piece: Buffer, _encoding, done) {
        for (let at = 0; at < piece.length; at++) if (piece[at] === NEW_LINE) lines++
        greatest = Math.max(greatest, process.memoryUsage.rss() - before)
        setImmediate(done)
      },
    })
    await pipeline(content, socket)
    lines-- // the header
    cursor = nextCursor
  }
  if (lines !== ROWS) throw new Error(`${lines} rows came instead of ${ROWS}.`)
  const perSecond = ROWS / ((performance.now() - started) / 1000)
  const { user, system } = process.cpuUsage(busyBefore)
  const perBusySecond = ROWS / ((user + system) / 1e6)
  return [
    {
      what: `export of ${ROWS.toLocaleString('en-US')} rows as CSV, streamed`,
      figure: speeds(perSecond, perBusySecond),
      target: 'at least 500,000 rows/s',
      met: perBusySecond >= 500_000,
    },
    {
      what: 'memory growth of the process during the export',
      figure: `${Math.round(greatest / 1e6)} MB`,
      target: 'under 100 MB',
      met: greatest < 100e6,
    },
  ]
}

/** A part like `model` with one symbol of `ROWS` minutes. */
function longSymbol(model: DatasetPart): DatasetPart {
  if (model.kind !== 'bars') throw new Error('The imported dataset holds no bars.')
  const { manifest } = model.symbols[0]!
  const column = () => new Float64Array(ROWS)
  const bars = {
    times: new Int32Array(ROWS),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  }
  // Several made-up symbols in a row: a single random walk of this length would drift away from realistic prices.
  for (let first = 0; first < ROWS; first += DAYS)
    for (const bar of syntheticBars(first, Math.min(DAYS, ROWS - first))) {
      const at = first + bar.day
      bars.times[at] = at
      for (const name of ['open', 'high', 'low', 'close', 'volume'] as const) bars[name][at] = bar[name]
    }
  const adjustments = { none: { firstIndex: 0, steps: null, publishedClose: null } }
  const series = heldSeries(bars, { actions: [], adjustments })
  const own = { ...manifest, symbol: 'SYN.LONG', interval: '1m' as const, rows: ROWS }
  return { ...model, symbols: [{ manifest: own, series }] }
}
