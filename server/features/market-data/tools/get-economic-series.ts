import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { nearestNames } from '../../tools/input/nearest-names.ts'
import { noteWarnings } from '../bars/bar-warnings.ts'
import { chartView } from '../chart-view/chart-view.ts'
import { checkOrder } from '../check-order.ts'
import { staleWarnings } from '../dataset-age.ts'
import { dayText } from '../dates.ts'
import { notEntitled, whyWithheld } from '../find-instrument.ts'
import { type MarketData, sourceOf } from '../market-data.ts'
import { pageOf } from '../page.ts'
import type { EconomicSeries } from '../series/economic-series.ts'
import { aggregates, frequencies, gapWarnings, readObservations, seriesRanges, units } from '../series/series-units.ts'
import { cursorInput, dateInput } from './inputs.ts'

const MAX_LIMIT = 5000

export const getEconomicSeries = defineTool({
  name: 'get_economic_series',
  title: 'Economic series',
  description:
    'Observations, oldest first; a month is dated by its first day. Available: OIL.WTI, OIL.BRENT, GAS.HENRYHUB, US.TREASURY.10Y, ECB.USD (daily), GOLD.USD, US.CPI, US.RATE10Y, FX.USDEUR and others, US.SHILLER.PRICE (S&P 500), .DIVIDEND, .EARNINGS, .CAPE, US.JOBS.NONFARM and sectors, US.UNEMPLOYMENT by industry; a wrong id returns near matches. 1 credit.',
  input: z.strictObject({
    series_id: z.string().trim().min(1).max(80).describe('Such as US.CPI'),
    units: z
      .enum(units)
      .default('level')
      .describe('change and pct compare with the previous period, yoy (percent) with a year earlier; log is natural'),
    frequency: z.enum(frequencies).optional().describe('Lower frequency than the source'),
    aggregate: z.enum(aggregates).default('mean').describe('How to aggregate to a lower frequency'),
    range: z.enum(seriesRanges).optional().describe('Period up to the last observation; default 5y'),
    from: dateInput.optional().describe('First date (instead of range)'),
    to: dateInput.optional().describe('Last date'),
    limit: z.int().min(1).max(MAX_LIMIT).default(120).describe('Maximum rows'),
    cursor: cursorInput,
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 1 },
  example: { series_id: 'OIL.WTI', range: '1mo' },
  errors: ['unknown_symbol'],
  rest: { method: 'GET', path: '/v1/series/{id}', names: { series_id: 'id' }, defaults: { limit: 1000 } },
  mcp: { presets: ['economy'], view: chartView.uri },
  run(request, { market }): Table {
    if (request.from && request.range)
      throw new AppError('invalid_parameter', 'Send either from or range.', { param: 'range' })
    checkOrder(request)
    const series = findSeries(market, request.series_id)
    const all = readObservations(series, request)
    const parameters = { ...request, series_id: series.id }
    const { rows, counts, warnings: pages, paging } = pageOf(all, parameters, series.datasetVersion)
    const { manifest } = series
    const warnings = [
      ...noteWarnings(manifest, [series.id], rows[0] && dayText(rows[0].day)),
      ...staleWarnings(manifest, Date.now()),
      ...(request.frequency || request.units !== 'level' ? [] : gapWarnings(manifest.frequency, rows)),
      ...pages,
    ]
    if (rows.length === 0)
      warnings.push(
        `No observations in this period: ${series.id} runs from ${dayText(series.times[0]!)} to ${dayText(series.times.at(-1)!)}.`,
      )
    return {
      columns: ['date', 'value'],
      rows: rows.map(({ day, value }) => [dayText(day), value]),
      meta: {
        series_id: series.id,
        name: series.name,
        unit:
          request.units === 'level'
            ? series.unit
            : request.units === 'log'
              ? 'Natural logarithm'
              : request.units === 'change'
                ? series.unit
                : 'Percent',
        units: request.units,
        frequency: request.frequency ?? manifest.frequency,
        source: sourceOf(manifest),
        publisher: manifest.sources[0]!.publisher,
        dataset_version: series.datasetVersion,
        ...(manifest.retrieved_at && { retrieved_at: manifest.retrieved_at }),
        as_of: dayText(series.times.at(-1)!),
        ...counts,
        warnings,
      },
      ...paging,
    }
  },
})

/** Throws unknown_symbol with the nearest ids, or not_entitled. */
function findSeries(market: MarketData, id: string): EconomicSeries {
  const { series } = market
  const wanted = id.toUpperCase()
  const found = series.get(wanted)
  if (found) return found
  const why = whyWithheld(market, id)
  if (why) throw notEntitled(why, id, 'series_id')
  const names = [...series.keys()]
  const parts = wanted.split(/[.\s_]+/).filter((part) => part.length > 2)
  const containing = names.filter((name) => parts.some((part) => name.includes(part)))
  const suggestions = [...new Set([...nearestNames(wanted, names), ...containing])].slice(0, 3)
  const hint =
    suggestions.length > 0
      ? `Did you mean ${suggestions.join(', ')}?`
      : `Available: ${names.slice(0, 8).join(', ')} and ${Math.max(0, names.length - 8)} more (GET /v1/series).`
  throw new AppError('unknown_symbol', `Unknown series ${id.slice(0, 40)}. ${hint}`, {
    param: 'series_id',
    suggestions,
  })
}
