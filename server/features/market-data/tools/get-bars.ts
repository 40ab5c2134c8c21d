import { z } from 'zod'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { adjustedBars } from '../adjustment.ts'
import type { BarColumns } from '../bar-series.ts'
import { barWarnings } from '../bar-warnings.ts'
import { barWindow, ranges } from '../bar-window.ts'
import { chooseAdjustment } from '../choose-adjustment.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import { dayText } from '../dates.ts'
import { findInstrument } from '../find-instrument.ts'
import { intervals } from '../periods.ts'
import { resample } from '../resample.ts'
import { adjustInput, dateInput, symbolInput } from './inputs.ts'

const columns = ['date', 'open', 'high', 'low', 'close', 'volume'] as const
type Column = (typeof columns)[number]

const MAX_LIMIT = 10_000

const input = z.strictObject({
  symbol: symbolInput.describe('Symbol or alias: AAPL, AAPL.XNAS, ^GSPC'),
  interval: z
    .enum(intervals)
    .default('1d')
    .describe('Length of a bar; longer ones are made from daily bars and dated by their last session'),
  range: z
    .enum(ranges)
    .optional()
    .describe('Time back from `to` or the last bar held. Default by interval: 1d 3mo, 1w 1y, 1mo 5y, else max'),
  from: dateInput.optional().describe('First date, inclusive; instead of range'),
  to: dateInput.optional().describe('Last date, inclusive; default the last bar held'),
  adjust: adjustInput
    .optional()
    .describe('splits (default): comparable across splits; all: also dividends; none: as quoted'),
  columns: z
    .array(z.enum(columns))
    .min(1)
    .refine((names) => new Set(names).size === names.length, { error: 'each column can be named once' })
    .default([...columns])
    .describe('Columns wanted, in this order'),
  limit: z.int().min(1).max(MAX_LIMIT).default(100).describe('Most rows in one answer'),
  cursor: z.string().max(64).optional().describe('next_cursor of the answer before, sent with the same parameters'),
})
type Input = z.output<typeof input>

export const getBars = defineTool({
  name: 'get_bars',
  title: 'Price history',
  description:
    'Open, high, low, close and volume of a stock or index, oldest first, from daily to yearly bars. Use few columns or a longer interval to save tokens, get_quote for one price only. meta states adjustment, currency, source, the last date held and warnings. 1 credit per 1,000 rows begun; nothing for an error or an empty answer.',
  input,
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'rows', credits: 1, perRows: 1000 },
  rest: { method: 'GET', path: '/v1/bars/{symbol}', defaults: { limit: 1000 } },
  mcp: { defaults: { columns: ['date', 'close'] } },
  run(request, { deps }): Table {
    const instrument = findInstrument(deps.market, request.symbol)
    const { manifest, series, datasetVersion, source } = instrument
    const { adjust, adjustment } = chooseAdjustment(instrument, request.adjust)
    const window = barWindow(series.days, request)
    const scope = {
      datasetVersion,
      parameters: { ...request, symbol: manifest.symbol, limit: undefined, cursor: undefined },
    }
    const offset = request.cursor ? decodeCursor(request.cursor, scope) : 0

    const start = Math.min(Math.max(window.start, adjustment.firstIndex), window.end)
    const page = request.interval === '1d' ? dailyPage : resampledPage
    const { bars, total } = page((first, end) => adjustedBars(series, adjustment, first, end), {
      start,
      end: window.end,
      offset,
      request,
    })
    const rows = tableRows(bars, request.columns)
    const next = offset + rows.length
    const truncated = next < total
    const warnings = barWarnings(instrument, {
      interval: request.interval,
      window,
      firstIndex: adjustment.firstIndex,
      adjust,
      columns: request.columns,
    })
    if (truncated) {
      warnings.push(
        `Rows ${offset + 1} to ${next} of ${total}, oldest first. Continue with next_cursor, or ask for a shorter range or a longer interval.`,
      )
    }
    return {
      columns: request.columns,
      rows,
      meta: {
        symbol: manifest.symbol,
        name: manifest.name,
        interval: request.interval,
        adjust,
        currency: manifest.currency,
        timezone: manifest.timezone,
        source,
        dataset_version: datasetVersion,
        as_of: manifest.last,
        row_count: rows.length,
        total_rows: total,
        truncated,
        warnings,
      },
      next_cursor: truncated ? encodeCursor(scope, next) : null,
    }
  },
})

interface PageRequest {
  start: number
  end: number
  offset: number
  request: Input
}
interface Page {
  bars: BarColumns
  total: number
}
type ReadBars = (start: number, end: number) => BarColumns

/** Daily bars are read only as far as the page goes. */
function dailyPage(read: ReadBars, { start, end, offset, request }: PageRequest): Page {
  const first = Math.min(start + offset, end)
  return { bars: read(first, Math.min(first + request.limit, end)), total: end - start }
}

function resampledPage(read: ReadBars, { start, end, offset, request }: PageRequest): Page {
  const all = resample(read(start, end), request.interval)
  const cut = <A extends Int32Array | Float64Array>(column: A) => column.subarray(offset, offset + request.limit) as A
  const bars: BarColumns = {
    days: cut(all.days),
    open: cut(all.open),
    high: cut(all.high),
    low: cut(all.low),
    close: cut(all.close),
    volume: cut(all.volume),
  }
  return { bars, total: all.days.length }
}

function tableRows(bars: BarColumns, names: readonly Column[]): Cell[][] {
  const cells = names.map((name) =>
    name === 'date' ? (index: number) => dayText(bars.days[index]!) : (index: number) => bars[name][index]!,
  )
  const rows = new Array<Cell[]>(bars.days.length)
  for (let i = 0; i < rows.length; i++) rows[i] = cells.map((cell) => cell(i))
  return rows
}
