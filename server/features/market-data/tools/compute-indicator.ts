import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { firstOnOrAfter } from '../bars/bar-series.ts'
import { viewBars } from '../bars/bar-view.ts'
import { roundPrice } from '../bars/round-price.ts'
import { checkOrder } from '../check-order.ts'
import { MINUTES_PER_DAY, parseDay } from '../dates.ts'
import { findInstrument } from '../find-instrument.ts'
import { type Indicator, type IndicatorName, indicatorNames, indicators } from '../indicators/catalog.ts'
import { pageOf } from '../page.ts'
import { type AnyInterval, allIntervals, isIntraday } from '../periods.ts'
import { adjustInput, cursorInput, dateInput, symbolInput } from './inputs.ts'

const MAX_LAST = 10_000
const MAX_PERIOD = 1000

export const computeIndicator = defineTool({
  name: 'compute_indicator',
  title: 'Technical indicator',
  description:
    'A technical indicator, newest bars last, computed from the full history. meta.state describes the last bar in one word: overbought/oversold (rsi 70/30, stoch and mfi 80/20, cci 100, willr -20/-80), above/below (close against averages, psar), rising/falling (macd, roc, aroon), upper/inside/lower (bands), uptrend/downtrend/no_trend (adx 25). 2 credits per 1,000 rows, rounded up.',
  input: z.strictObject({
    symbol: symbolInput.describe('Symbol or alias'),
    indicator: z.enum(indicatorNames).describe('Indicator'),
    params: z
      .array(z.number())
      .max(3)
      .default([])
      .describe(
        'Parameters in order, instead of the defaults: rsi [14]; macd [fast 12, slow 26, signal 9]; bbands [20, 2]; stoch [14, 3, 3]; keltner [20, 10, 2]; psar [0.02, 0.2]; others [period]',
      ),
    interval: z.enum(allIntervals).default('1d').describe('Length of a bar'),
    adjust: adjustInput.optional().describe('Default splits'),
    from: dateInput.optional().describe('First date (instead of the newest bars)'),
    to: dateInput.optional().describe('Last date; default the last bar'),
    last: z.int().min(1).max(MAX_LAST).default(30).describe('Number of bars: the newest, or with from the oldest'),
    cursor: cursorInput,
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'rows', credits: 2, perRows: 1000 },
  example: { symbol: 'VIX', indicator: 'rsi' },
  errors: ['unknown_symbol', 'cursor_expired'],
  rest: { method: 'GET', path: '/v1/indicators/{symbol}', names: { indicator: 'name' }, defaults: { last: 252 } },
  mcp: { presets: ['prices'] },
  run(request, { market }): Table {
    const { symbol, indicator: name, params, interval, adjust, from, to, last } = request
    checkOrder(request)
    const instrument = findInstrument(market, symbol)
    const indicator: Indicator = indicators[name]
    const used = readParams(name, indicator, params)
    const held = isIntraday(interval) ? instrument.intraday : instrument
    const range = { from: held?.manifest.first, to: to && held && to < held.manifest.first ? held.manifest.first : to }
    const view = viewBars(instrument, { interval, adjust, ...(held ? range : {}) })
    const bars = view.read()
    const columns = indicator.compute(bars, used)
    const start = from ? firstOnOrAfter(bars.times, timeOf(from, interval)) : Math.max(0, bars.times.length - last)
    const places = Array.from({ length: bars.times.length - start }, (_, i) => start + i)
    // Without from, `last` determines the bars, so it is part of the cursor.
    const parameters = { ...request, symbol: view.manifest.symbol, limit: last, ...(from && { last: undefined }) }
    const { rows: shown, counts, warnings: pages, paging } = pageOf(places, parameters, view.datasetVersion)
    const rows: Cell[][] = shown.map((i) => [
      view.times.text(bars.times[i]!),
      bars.close[i]!,
      ...columns.map((column) => cell(column[i]!)),
    ])
    const latest = columns.map((column) => column.at(-1) ?? Number.NaN)
    const { manifest } = view
    const warnings = [...view.warnings(['close']), ...pages]
    if (rows.length > 0 && latest.some(Number.isNaN))
      warnings.push(`${bars.times.length} bars are too few for ${name} with these parameters: values are null.`)
    return {
      columns: ['date', 'close', ...indicator.columns],
      rows,
      meta: {
        symbol: manifest.symbol,
        indicator: name,
        params: Object.fromEntries(indicator.params.map((param, index) => [param.name, used[index]])),
        state: latest.some(Number.isNaN) || rows.length === 0 ? null : indicator.state(latest, bars.close.at(-1)!),
        interval,
        adjust: view.adjust,
        currency: manifest.currency,
        source: view.source,
        dataset_version: view.datasetVersion,
        as_of: manifest.last,
        ...counts,
        warnings,
      },
      ...paging,
    }
  },
})

/** A date as a time of bars of this interval: a day, or its first minute. */
const timeOf = (date: string, interval: AnyInterval): number =>
  isIntraday(interval) ? parseDay(date) * MINUTES_PER_DAY : parseDay(date)

const cell = (value: number): number | null => (Number.isFinite(value) ? roundPrice(value, 6) : null)

/** The given parameters, completed by the defaults. Throws invalid_parameter for too many or invalid ones. */
function readParams(name: IndicatorName, { params }: Indicator, given: readonly number[]): number[] {
  const expected = params.length > 0 ? params.map((param) => `${param.name} (${param.default})`).join(', ') : 'none'
  const refuse = (why: string) =>
    new AppError('invalid_parameter', `params: ${why} ${name} takes, in order: ${expected}.`, { param: 'params' })
  if (given.length > params.length) throw refuse(`${given.length} values are too many.`)
  const used = params.map((param, index) => {
    const value = given[index] ?? param.default
    const good = param.whole ? Number.isInteger(value) && value >= 1 && value <= MAX_PERIOD : value > 0 && value <= 100
    if (!good)
      throw refuse(
        `${param.name} must be ${param.whole ? `a whole number from 1 to ${MAX_PERIOD}` : 'above 0 and at most 100'}.`,
      )
    return value
  })
  if (name === 'macd' && used[0]! >= used[1]!) throw refuse('fast must be shorter than slow.')
  return used
}
