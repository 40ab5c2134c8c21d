import { z } from 'zod'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { NotInMemory } from '../../tools/rows/not-in-memory.ts'
import { adjustedBars } from '../bars/adjustment.ts'
import { chooseAdjustment } from '../bars/choose-adjustment.ts'
import { roundPrice } from '../bars/round-price.ts'
import type { Instrument } from '../catalog.ts'
import { type Day, dayText, parseDay } from '../dates.ts'
import { dateInput, symbolInput } from './inputs.ts'
import { findAll, originOf, type SymbolError } from './many-symbols.ts'

const MAX_SYMBOLS = 100
const MS_PER_DAY = 86_400_000
const columns = [
  'symbol',
  'date',
  'close',
  'previous_close',
  'change',
  'change_percent',
  'currency',
  'age_days',
  'delayed',
]

export const getQuote = defineTool({
  name: 'get_quote',
  title: 'Last price',
  description:
    'Last available close of one or more symbols, with the change from the previous session. Closes are split-adjusted and end-of-day; age_days is the age of each, delayed marks sample or delayed data. Unknown symbols go to meta.errors. 1 credit per 20 symbols returned, rounded up.',
  input: z.strictObject({
    symbols: z.array(symbolInput).min(1).max(MAX_SYMBOLS).describe('Symbols or aliases, such as ["AAPL", "^GSPC"]'),
    on: dateInput.optional().describe('Last close on or before this date'),
  }),
  output: tableOutput,
  kind: 'table',
  whole: 'One row per symbol, at most 100.',
  credits: { kind: 'rows', credits: 1, perRows: 20 },
  example: { symbols: ['VIX', 'SPX'] },
  errors: ['unknown_symbol'],
  lasts: 'day',
  rest: { method: 'GET', path: '/v1/quotes' },
  mcp: { presets: ['prices'] },
  run({ symbols, on }, { market }): Table {
    const today = on ? parseDay(on) : Math.floor(Date.now() / MS_PER_DAY)
    const errors: SymbolError[] = []
    const found = findAll(market, symbols, errors)
    const rows: Cell[][] = []
    const adjusts = new Set(found.map((instrument) => chooseAdjustment(instrument, undefined).adjust))
    const warnings: string[] = []
    const quotes = NotInMemory.forEach(found, (instrument) => quote(instrument, today))
    for (const [index, row] of quotes.entries()) {
      const { symbol, first } = found[index]!.manifest
      if (row) rows.push(row)
      else
        errors.push({
          symbol,
          code: 'no_data',
          message: `${symbol} has no bar on or before ${on}; its first is ${first}.`,
        })
    }
    if (found.some(({ manifest }) => manifest.redistribution === 'demo-only')) {
      warnings.push('Historical samples, not live prices: see date and age_days.')
    }
    if (errors.length > 0) warnings.push(`No quote for ${errors.map(({ symbol }) => symbol).join(', ')}; see errors.`)
    return {
      columns,
      rows,
      meta: {
        on: on ?? null,
        adjust: [...adjusts].join(', '),
        ...originOf(found),
        dataset_version: market.version,
        row_count: rows.length,
        errors,
        warnings,
      },
      next_cursor: null,
    }
  },
})

/** The last bar on or before `day`; null before the first. The first bar has no change (null). */
function quote(instrument: Instrument, day: Day): Cell[] | null {
  const { manifest, series } = instrument
  const end = series.indexOf(day + 1)
  if (end === 0) return null
  const { adjustment } = chooseAdjustment(instrument, undefined)
  const { times, close } = adjustedBars(series, adjustment, Math.max(0, end - 2), end)
  const last = close.at(-1)!
  const previous = close.length > 1 ? close[0]! : null
  const change = previous === null ? null : roundPrice(last - previous)
  const percent = previous === null ? null : Math.round((last / previous - 1) * 1e6) / 1e4
  return [
    manifest.symbol,
    dayText(times.at(-1)!),
    last,
    previous,
    change,
    percent,
    manifest.currency,
    day - times.at(-1)!,
    manifest.redistribution === 'demo-only' || manifest.redistribution === 'delayed',
  ]
}
