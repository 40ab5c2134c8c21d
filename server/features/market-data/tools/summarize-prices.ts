import { z } from 'zod'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { NotInMemory } from '../../tools/rows/not-in-memory.ts'
import type { BarColumns } from '../bars/bar-series.ts'
import { viewBars } from '../bars/bar-view.ts'
import { barWindow, ranges } from '../bars/bar-window.ts'
import type { Instrument } from '../catalog.ts'
import { dayText } from '../dates.ts'
import { findInstrument } from '../find-instrument.ts'
import { alignCloses } from '../statistics/align.ts'
import {
  annualGrowth,
  beta,
  maxDrawdown,
  rounded,
  sharpeRatio,
  simpleReturns,
  standardDeviation,
} from '../statistics/returns.ts'
import { adjustInput, dateInput, symbolInput } from './inputs.ts'
import {
  commonEnd,
  findAll,
  lateWarning,
  mixedSampleWarning,
  originOf,
  type Period,
  type SymbolError,
  sessionsPerYear,
} from './many-symbols.ts'

const MAX_SYMBOLS = 20
const columns = [
  'symbol',
  'from',
  'to',
  'first',
  'last',
  'return_percent',
  'cagr_percent',
  'volatility_percent',
  'max_drawdown_percent',
  'drawdown_from',
  'drawdown_to',
  'sharpe',
  'beta',
  'high',
  'low',
  'currency',
]

export const summarizePrices = defineTool({
  name: 'summarize_prices',
  title: 'Price summary',
  description:
    'One line per symbol for a period: return, yearly growth, yearly volatility, maximum drawdown with its dates, Sharpe ratio (risk-free rate 0), beta, high and low, from daily closes. The cheapest way to see how something performed. cagr is null below a month, beta without benchmark. 1 credit per 5 symbols returned, rounded up.',
  input: z.strictObject({
    symbols: z.array(symbolInput).min(1).max(MAX_SYMBOLS).describe('Symbols or aliases'),
    range: z.enum(ranges).optional().describe('Period up to `to` or the last date of all; default 1y'),
    from: dateInput.optional().describe('First date (instead of range)'),
    to: dateInput.optional().describe('Last date'),
    benchmark: symbolInput.optional().describe('For beta, such as SPX'),
    adjust: adjustInput.optional().describe('all (default where available) counts dividends as returns'),
  }),
  output: tableOutput,
  kind: 'table',
  whole: 'One row per symbol, at most 20.',
  credits: { kind: 'rows', credits: 1, perRows: 5 },
  example: { symbols: ['AAPL', 'MSFT'], range: '1y', benchmark: 'SPX' },
  errors: ['unknown_symbol'],
  rest: { method: 'GET', path: '/v1/summary' },
  mcp: { presets: ['prices'] },
  run({ symbols, range, from, to, benchmark, adjust }, { market }): Table {
    const errors: SymbolError[] = []
    const found = findAll(market, symbols, errors)
    const end = from || to || range === 'max' ? null : commonEnd(found)
    const query = { interval: '1d', range: from ? range : (range ?? '1y'), from, to: end?.to ?? to } as const
    const read = (instrument: Instrument) => {
      const best = adjust ?? (instrument.series.adjustments.all ? 'all' : undefined)
      const view = viewBars(instrument, { ...query, adjust: best })
      return { adjust: view.adjust, bars: view.read() }
    }
    const all = NotInMemory.forEach(found, read)
    const reference = benchmark === undefined ? null : findInstrument(market, benchmark, 'benchmark')
    const adjusts = new Set<string>()
    const periods: Period[] = []
    const rows: Cell[][] = []
    for (const [index, instrument] of found.entries()) {
      const { symbol, first, last } = instrument.manifest
      const { bars, adjust: used } = all[index]!
      if (bars.times.length < 2) {
        errors.push({
          symbol,
          code: 'no_data',
          message: `${symbol} has fewer than two bars in this period; it is available from ${first} to ${last}.`,
        })
        continue
      }
      adjusts.add(used)
      if (range !== 'max') {
        const { from: asked } = barWindow(instrument.series, query)
        periods.push({ instrument, adjust: used, asked, first: bars.times[0]! })
      }
      rows.push(summary(instrument, bars, reference && sameTime(reference, bars)))
    }
    const warnings = [...mixedSampleWarning(found), ...(end ? [end.warning] : []), ...lateWarning(periods)]
    if (errors.length > 0) warnings.push(`No summary for ${errors.map(({ symbol }) => symbol).join(', ')}; see errors.`)
    if (reference) warnings.push(...betaWarning(reference, rows))
    const meta = {
      adjust: [...adjusts].join(', '),
      benchmark: benchmark ?? null,
      ...originOf(reference ? [...found, reference] : found),
      dataset_version: market.version,
      row_count: rows.length,
      errors,
      warnings,
    }
    return { columns, rows, meta, next_cursor: null }
  },
})

/** The bars of the benchmark in the period of `bars`. Data may end at different dates. */
function sameTime(benchmark: Instrument, { times }: BarColumns): BarColumns {
  const adjust = benchmark.series.adjustments.all ? 'all' : undefined
  const [from, to] = [dayText(times[0]!), dayText(times.at(-1)!)]
  return viewBars(benchmark, { interval: '1d', from, to, adjust }).read()
}

function summary({ manifest }: Instrument, bars: BarColumns, reference: BarColumns | null): Cell[] {
  const { times, close, high, low } = bars
  const [first, last] = [close[0]!, close.at(-1)!]
  const returns = simpleReturns(close)
  const perYear = sessionsPerYear(manifest)
  const fall = maxDrawdown(close)
  const percent = (value: number | null) => (value === null ? null : rounded(100 * value, 2))
  return [
    manifest.symbol,
    dayText(times[0]!),
    dayText(times.at(-1)!),
    first,
    last,
    percent(last / first - 1),
    percent(annualGrowth(first, last, times.at(-1)! - times[0]!)),
    percent(standardDeviation(returns) * Math.sqrt(perYear)),
    percent(fall.drawdown),
    fall.drawdown === 0 ? null : dayText(times[fall.peak]!),
    fall.drawdown === 0 ? null : dayText(times[fall.trough]!),
    rounded(sharpeRatio(returns, perYear), 2),
    reference ? rounded(betaOn(bars, reference), 2) : null,
    greatest(high),
    -greatest(low.map((value) => -value)),
    manifest.currency,
  ]
}

const MIN_COMMON = 20

/** On the sessions that both have; null below 20 of them. */
function betaOn(bars: BarColumns, reference: BarColumns): number | null {
  const { times, closes } = alignCloses([bars, reference])
  return times.length < MIN_COMMON ? null : beta(simpleReturns(closes[0]!), simpleReturns(closes[1]!))
}

/** Explains a missing beta. */
function betaWarning({ manifest: { symbol, first, last } }: Instrument, rows: readonly Cell[][]): string[] {
  const without = rows.filter((row) => row[columns.indexOf('beta')] === null).map(([name]) => name)
  return without.length === 0
    ? []
    : [
        `No beta for ${without.join(', ')}: fewer than ${MIN_COMMON} sessions in common with ${symbol}, which is available from ${first} to ${last}.`,
      ]
}

const greatest = (values: Float64Array): number => values.reduce((a, b) => Math.max(a, b))
