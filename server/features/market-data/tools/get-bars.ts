import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import {
  MOST_ROWS_AT_ONCE,
  type RowColumn,
  rowsOf,
  type StoredRows,
  type TimeForm,
} from '../../tools/rows/row-columns.ts'
import type { BarColumns } from '../bars/bar-series.ts'
import { viewBars } from '../bars/bar-view.ts'
import { ranges } from '../bars/bar-window.ts'
import { chartView } from '../chart-view/chart-view.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import { findInstrument } from '../find-instrument.ts'
import { allIntervals } from '../periods.ts'
import { adjustInput, cursorInput, dateInput, symbolInput } from './inputs.ts'

const columns = ['date', 'open', 'high', 'low', 'close', 'volume'] as const
type Column = (typeof columns)[number]

const MAX_LIMIT = 1_000_000

export const barInputs = {
  interval: z
    .enum(allIntervals)
    .default('1d')
    .describe('Length of a bar; 1w and longer are dated by the last session, shorter than 1d by the UTC open'),
  range: z
    .enum(ranges)
    .optional()
    .describe(
      'Period up to `to` or the last bar. Default by interval: below 1d the last day, 1d 3mo, 1w 1y, 1mo 5y, else max',
    ),
  from: dateInput.optional().describe('First date (instead of range)'),
  to: dateInput.optional().describe('Last date, inclusive'),
  adjust: adjustInput
    .optional()
    .describe('splits (default): comparable across splits; all: also dividends; none: as quoted'),
  fill: z.enum(['none']).default('none').describe('Sessions without a bar stay absent (no filling)'),
  session: z.enum(['regular']).default('regular').describe('Regular trading hours only'),
}
export const barColumnsInput = z
  .array(z.enum(columns))
  .min(1)
  .refine((names) => new Set(names).size === names.length, { error: 'each column can be named once' })
  .default([...columns])

export const getBars = defineTool({
  name: 'get_bars',
  title: 'Price history',
  description:
    'Open, high, low, close, volume of a stock, index or coin, oldest first, from 1 minute (where available) to 1 year. Fewer columns or a longer interval save tokens; summarize_prices and get_quote need even fewer. 1 credit per 1,000 rows, rounded up.',
  input: z.strictObject({
    symbol: symbolInput.describe('Symbol or alias: AAPL, AAPL.XNAS, ^GSPC, BTC/USD'),
    ...barInputs,
    columns: barColumnsInput.describe('Columns, in this order'),
    limit: z
      .int()
      .min(1)
      .max(MAX_LIMIT)
      .default(100)
      .describe('Maximum rows per answer: 10,000, or 1,000,000 as CSV or NDJSON'),
    cursor: cursorInput.describe('next_cursor of the previous answer, with the same parameters'),
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'rows', credits: 1, perRows: 1000 },
  example: { symbol: 'VIX', range: '1mo' },
  errors: ['unknown_symbol', 'cursor_expired'],
  lasts: 'day',
  rest: { method: 'GET', path: '/v1/bars/{symbol}', defaults: { limit: 1000 } },
  mcp: {
    presets: ['prices'],
    defaults: { columns: ['date', 'close'] },
    unlisted: ['fill', 'session'],
    view: chartView.uri,
  },
  run(request, { market, streams }): Table {
    if (request.limit > MOST_ROWS_AT_ONCE && !streams) throw tooMany(request.limit)
    const view = viewBars(findInstrument(market, request.symbol), request)
    const { manifest, datasetVersion, total } = view
    const scope = {
      datasetVersion,
      parameters: { ...request, symbol: manifest.symbol, limit: undefined, cursor: undefined },
    }
    const offset = request.cursor ? decodeCursor(request.cursor, scope) : 0
    const first = Math.min(offset, total)
    const next = Math.min(total, first + request.limit)
    const count = next - first
    const { stored: bars } = view
    const stored: StoredRows = {
      of: bars.of,
      variant: `${view.adjust} ${request.interval}`,
      first: bars.first + first,
      count,
      all: bars.all,
      read: (from, to) => barColumns(bars.read(from, to), request.columns, view.times),
    }
    const truncated = next < total
    const warnings = view.warnings(request.columns)
    if (truncated) {
      warnings.push(
        `Rows ${offset + 1} to ${next} of ${total}, oldest first. Continue with next_cursor, or ask for a shorter range or a longer interval.`,
      )
    }
    let rows: Cell[][] | undefined
    return {
      columns: request.columns,
      get rows() {
        // Kept, because a surface may ask again when the bars are no longer in memory.
        rows ??= rowsOf(stored, 0, count)
        return rows
      },
      meta: {
        symbol: manifest.symbol,
        name: manifest.name,
        interval: request.interval,
        adjust: view.adjust,
        currency: manifest.currency,
        timezone: manifest.timezone,
        source: view.source,
        dataset_version: datasetVersion,
        as_of: manifest.last,
        row_count: count,
        total_rows: total,
        truncated,
        warnings,
      },
      next_cursor: truncated ? encodeCursor(scope, next) : null,
      cursorAt: (count) => encodeCursor(scope, first + count),
      stored: () => stored,
    }
  },
})

const tooMany = (limit: number): AppError =>
  new AppError(
    'invalid_parameter',
    `limit: ${limit} rows are too many for one answer in this format. Ask for 10000 and continue with next_cursor, or use REST with format=csv or format=ndjson, which allow 1000000.`,
    { param: 'limit' },
  )

/** The requested columns of these bars. */
const barColumns = (bars: BarColumns, names: readonly Column[], form: TimeForm): RowColumn[] =>
  names.map((name) => (name === 'date' ? { times: bars.times, form } : bars[name]))

/** Bars as rows with the requested columns. */
export function barRows(bars: BarColumns, names: readonly Column[], timeText: (time: number) => string): Cell[][] {
  const cells = names.map((name) =>
    name === 'date' ? (index: number) => timeText(bars.times[index]!) : (index: number) => bars[name][index]!,
  )
  const rows = new Array<Cell[]>(bars.times.length)
  for (let i = 0; i < rows.length; i++) rows[i] = cells.map((cell) => cell(i))
  return rows
}
