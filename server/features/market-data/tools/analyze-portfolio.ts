import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { NotInMemory } from '../../tools/rows/not-in-memory.ts'
import { viewBars } from '../bars/bar-view.ts'
import { barWindow, ranges } from '../bars/bar-window.ts'
import type { Instrument } from '../catalog.ts'
import { dayText } from '../dates.ts'
import { findInstrument } from '../find-instrument.ts'
import { alignCloses } from '../statistics/align.ts'
import { portfolioPath, rebalances } from '../statistics/portfolio.ts'
import * as stats from '../statistics/returns.ts'
import { dateInput, symbolInput } from './inputs.ts'
import { lateWarning, mixedSampleWarning, originOf, sessionsPerYear } from './many-symbols.ts'

const MAX_HOLDINGS = 50
const MIN_SESSIONS = 3
const WEIGHT_TOLERANCE = 0.001

export const analyzePortfolio = defineTool({
  name: 'analyze_portfolio',
  title: 'Portfolio analysis',
  description:
    'Return, risk and contributions of a portfolio over the sessions that all holdings share, from adjusted closes. One row per holding; meta.portfolio: return, cagr, volatility, drawdown, Sharpe, Sortino, one-day value at risk and expected shortfall (95 %), beta; meta.correlation: matrix of daily returns. No costs, risk-free rate 0. 5 credits.',
  input: z.strictObject({
    holdings: z
      .array(z.strictObject({ symbol: symbolInput, weight: z.number().min(-1000).max(1000) }))
      .min(1)
      .max(MAX_HOLDINGS)
      .describe(
        'Weights as fractions, such as [{"symbol":"AAPL","weight":0.6},{"symbol":"MSFT","weight":0.4}]; below a sum of 1 the rest is cash',
      ),
    range: z.enum(ranges).optional().describe('Period up to the last common session; default 1y'),
    from: dateInput.optional().describe('First date (instead of range)'),
    to: dateInput.optional().describe('Last date'),
    rebalance: z.enum(rebalances).default('none').describe('When weights are restored'),
    benchmark: symbolInput.optional().describe('Such as SPX'),
  }),
  output: tableOutput,
  kind: 'table',
  whole: 'One row per holding.',
  credits: { kind: 'fixed', credits: 5 },
  example: {
    holdings: [
      { symbol: 'AAPL', weight: 0.6 },
      { symbol: 'MSFT', weight: 0.4 },
    ],
    range: '5y',
    benchmark: 'SPX',
  },
  errors: ['unknown_symbol'],
  rest: { method: 'POST', path: '/v1/portfolio/analyze' },
  mcp: { presets: ['prices'] },
  run({ holdings, range, from, to, rebalance, benchmark }, { market }): Table {
    const instruments = holdings.map(({ symbol }, index) => findInstrument(market, symbol, `holdings.${index}.symbol`))
    checkHoldings(instruments, holdings)
    const all = benchmark === undefined ? instruments : [...instruments, findInstrument(market, benchmark, 'benchmark')]
    const commonLast = all.map(({ manifest }) => manifest.last).sort()[0]!
    const end = to !== undefined && to < commonLast ? to : commonLast
    const query = { interval: '1d', from, to: end, range: from ? range : (range ?? '1y') } as const
    const views = NotInMemory.forEach(all, (instrument) => {
      const adjust = instrument.series.adjustments.all ? 'all' : undefined
      return viewBars(instrument, { ...query, adjust })
    })
    const bars = NotInMemory.forEach(views, (view) => view.read())
    const { times, closes } = alignCloses(bars)
    if (times.length < MIN_SESSIONS) throw noCommonSessions(all)
    const periods = all.map((instrument, index) => ({
      instrument,
      adjust: views[index]!.adjust,
      asked: barWindow(instrument.series, query).from,
      first: bars[index]!.times[0]!,
    }))
    const late = range === 'max' ? [] : lateWarning(periods)
    const weights = holdings.map(({ weight }) => weight)
    const path = portfolioPath(times, closes.slice(0, holdings.length), weights, rebalance)
    const returns = stats.simpleReturns(path.values)
    const each = closes.map(stats.simpleReturns)
    const perYear = Math.min(...instruments.map(({ manifest }) => sessionsPerYear(manifest)))
    const percent = (value: number | null) => (value === null ? null : stats.rounded(100 * value, 3))
    const rows: Cell[][] = instruments.map(({ manifest }, h) => {
      const close = closes[h]!
      return [
        manifest.symbol,
        weights[h]!,
        percent(close.at(-1)! / close[0]! - 1),
        percent(path.contributions[h]!),
        percent(stats.standardDeviation(each[h]!) * Math.sqrt(perYear)),
        stats.rounded(stats.correlation(each[h]!, returns), 3),
      ]
    })
    const last = path.values.at(-1)!
    const fall = stats.maxDrawdown(path.values)
    const risk = stats.valueAtRisk(returns)
    const reference = benchmark === undefined ? null : each.at(-1)!
    return {
      columns: [
        'symbol',
        'weight',
        'return_percent',
        'contribution_percent',
        'volatility_percent',
        'correlation_with_portfolio',
      ],
      rows,
      meta: {
        from: dayText(times[0]!),
        to: dayText(times.at(-1)!),
        sessions: times.length,
        rebalance,
        adjust: [...new Set(views.map(({ adjust }) => adjust))].join(', '),
        portfolio: {
          return_percent: percent(last - 1),
          cagr_percent: last > 0 ? percent(stats.annualGrowth(1, last, times.at(-1)! - times[0]!)) : null,
          volatility_percent: percent(stats.standardDeviation(returns) * Math.sqrt(perYear)),
          max_drawdown_percent: percent(fall.drawdown),
          sharpe: stats.rounded(stats.sharpeRatio(returns, perYear), 3),
          sortino: stats.rounded(stats.sortinoRatio(returns, perYear), 3),
          value_at_risk_percent: percent(risk.var),
          expected_shortfall_percent: percent(risk.shortfall),
          beta: reference && stats.rounded(stats.beta(returns, reference), 3),
          correlation_with_benchmark: reference && stats.rounded(stats.correlation(returns, reference), 3),
        },
        correlation: {
          symbols: instruments.map(({ manifest }) => manifest.symbol),
          matrix: instruments.map((_, a) =>
            instruments.map((_, b) => stats.rounded(stats.correlation(each[a]!, each[b]!), 3)),
          ),
        },
        ...originOf(all),
        dataset_version: market.version,
        row_count: rows.length,
        warnings: [...mixedSampleWarning(all), ...late],
      },
      next_cursor: null,
    }
  },
})

function checkHoldings(instruments: readonly Instrument[], holdings: readonly { weight: number }[]): void {
  const twice = instruments.find((instrument, index) => instruments.indexOf(instrument) !== index)
  if (twice)
    throw new AppError('invalid_parameter', `holdings: ${twice.manifest.symbol} is named twice; add its weights.`, {
      param: 'holdings',
    })
  const total = holdings.reduce((sum, { weight }) => sum + weight, 0)
  if (total > 1 + WEIGHT_TOLERANCE)
    throw new AppError(
      'invalid_parameter',
      `holdings: the weights sum to ${Number(total.toFixed(4))}; they are fractions and may sum to at most 1 (0.6 means 60 %).`,
      { param: 'holdings' },
    )
}

function noCommonSessions(all: readonly Instrument[]): AppError {
  const held = all.map(({ manifest }) => `${manifest.symbol} ${manifest.first} to ${manifest.last}`).join(', ')
  return new AppError(
    'invalid_parameter',
    `These symbols have fewer than ${MIN_SESSIONS} sessions in common in this period. Available: ${held}.`,
    { param: 'from' },
  )
}
