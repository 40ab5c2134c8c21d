import { describe, expect, test } from 'vitest'
import { portfolioPath } from '../statistics/portfolio.ts'
import * as stats from '../statistics/returns.ts'
import { loadDemoMarket, runMarketTool } from '../testing/demo-market.ts'

const market = await loadDemoMarket()

const record = (columns: string[], row: unknown[]) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))

describe('summarize_prices', () => {
  const summary = async (input: Record<string, unknown>) => {
    const table = await runMarketTool(market, 'summarize_prices', input)
    return { ...table, first: record(table.columns, table.rows[0] ?? []) }
  }

  test('the fall of the S&P 500 from 2007 to 2009 was 56.78 percent, from 1565.15 to 676.53', async () => {
    const { first } = await summary({ symbols: ['^GSPC'], from: '2007-10-09', to: '2009-03-09' })
    expect(first).toMatchObject({
      first: 1565.15,
      last: 676.53,
      return_percent: -56.78,
      max_drawdown_percent: -56.78,
      drawdown_from: '2007-10-09',
      drawdown_to: '2009-03-09',
    })
  })

  test('volatility, Sharpe ratio and beta follow from the bars by their definitions', async () => {
    const closes = async (symbol: string) =>
      (
        await runMarketTool(market, 'get_bars', {
          symbol,
          adjust: 'all',
          from: '2012-01-03',
          to: '2013-01-03',
          limit: 500,
        })
      ).rows.map((row) => Number(row[4]))
    const [own, index] = [await closes('MSFT'), await closes('SPX')]
    const returns = (values: number[]) => values.slice(1).map((value, i) => value / values[i]! - 1)
    const [a, b] = [returns(own), returns(index)]
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const product = (x: number[], y: number[]) =>
      x.reduce((sum, value, i) => sum + (value - mean(x)) * (y[i]! - mean(y)), 0) / (x.length - 1)
    const { first } = await summary({ symbols: ['MSFT'], from: '2012-01-03', to: '2013-01-03', benchmark: 'SPX' })
    expect(first.volatility_percent).toBeCloseTo(100 * Math.sqrt(product(a, a) * 252), 1)
    expect(first.sharpe).toBeCloseTo((mean(a) / Math.sqrt(product(a, a))) * Math.sqrt(252), 1)
    expect(first.beta).toBeCloseTo(product(a, b) / product(b, b), 2)
  })

  test("beta covers the symbol's period, although the benchmark ends later", async () => {
    expect((await summary({ symbols: ['AAPL'], benchmark: 'SPX' })).first.beta).toBeGreaterThan(0.8)
    expect((await summary({ symbols: ['SPX'], benchmark: 'SPX' })).first.beta).toBe(1)
  })

  test('without sessions in common there is no beta, and the answer says why', async () => {
    const { first, meta } = await summary({ symbols: ['AAPL'], from: '2017-01-03', benchmark: 'NDX' })
    expect(first.beta).toBeNull()
    expect(meta.warnings).toContain(
      'No beta for AAPL: fewer than 20 sessions in common with NDX, which is available from 1985-11-01 to 2012-06-29.',
    )
  })

  test('a period that starts later than requested is reported', async () => {
    const { first, meta } = await summary({ symbols: ['AAPL', 'MSFT'], from: '2000-01-03' })
    expect(first.from).toBe('2013-05-13')
    expect(meta.warnings).toContain('Shorter than requested: AAPL starts on 2013-05-13 (adjust=all).')
    const whole = await summary({ symbols: ['AAPL'], range: '1y' })
    expect(whole.meta.warnings.join()).not.toContain('Shorter')
  })

  test('several symbols are compared over one period, and the answer says where it ends', async () => {
    const { rows, meta } = await summary({ symbols: ['AAPL', 'MSFT'] })
    const to = rows.map((row) => row[2])
    expect(new Set(to).size).toBe(1)
    expect(new Set(rows.map((row) => row[1])).size).toBe(1)
    expect(meta.warnings).toContain(`Every period ends on ${to[0]}, the last date that all of these symbols have.`)
    const dated = await summary({ symbols: ['AAPL', 'MSFT'], to: '2016-12-30' })
    expect(dated.meta.warnings.join()).not.toContain('Every period ends')
  })

  test("states the data's publisher, version and last date", async () => {
    const { meta } = await summary({ symbols: ['MSFT'], benchmark: 'SPX' })
    expect(meta).toMatchObject({
      source: 'react-stockcharts-rollup 0.7.8-SNAPSHOT, vega-datasets 3.2.1',
      as_of: '2020-04-17',
      dataset_version: market.version,
    })
  })

  test('symbols without data do not affect the rest', async () => {
    const { rows, meta } = await summary({ symbols: ['AAPL', 'NOPE', 'GE'], from: '2016-01-01', to: '2016-12-31' })
    expect(rows.map(([symbol]) => symbol)).toEqual(['AAPL'])
    expect(meta.errors).toEqual([
      expect.objectContaining({ symbol: 'NOPE', code: 'unknown_symbol' }),
      expect.objectContaining({ symbol: 'GE', code: 'no_data' }),
    ])
  })
})

describe('portfolio', () => {
  const days = Int32Array.of(0, 1, 31, 32)
  const a = Float64Array.of(100, 110, 121, 121)
  const b = Float64Array.of(50, 50, 25, 50)

  test('drifts without rebalancing; contributions sum to the return', () => {
    const { values, contributions } = portfolioPath(days, [a, b], [0.5, 0.3], 'none')
    // 0.2 cash + 0.5 a + 0.3 b.
    expect([...values].map((value) => Number(value.toFixed(10)))).toEqual([1, 1.05, 0.955, 1.105])
    expect(contributions.map((value) => Number(value.toFixed(10)))).toEqual([0.105, 0])
  })

  test('monthly rebalancing restores the weights at the last close of January', () => {
    const { values, contributions } = portfolioPath(days, [a, b], [0.5, 0.5], 'monthly')
    // 1.05 on 2 January; then a gains 10 % and b halves: 1.05 (1 + 0.05 - 0.25); then b doubles from its drifted weight.
    expect(values[2]).toBeCloseTo(1.05 * 0.8, 12)
    expect(values[3]).toBeCloseTo(1.05 * (0.55 + 0.5), 12)
    expect(contributions[0]! + contributions[1]!).toBeCloseTo(values[3]! - 1, 12)
  })

  test('drawdown, growth and value at risk by hand', () => {
    expect(stats.maxDrawdown([1, 2, 1, 4, 1, 2])).toEqual({ drawdown: -0.75, peak: 3, trough: 4 })
    expect(stats.standardDeviation([1, 2, 3, 4])).toBeCloseTo(Math.sqrt(5 / 3), 12)
    expect(stats.annualGrowth(1, 4, 2 * 365.25)).toBeCloseTo(1, 12)
    expect(stats.annualGrowth(1, 2, 20)).toBeNull()
    const returns = Array.from({ length: 21 }, (_, i) => (i - 10) / 100)
    const { var: risk, shortfall } = stats.valueAtRisk(returns, 0.95)
    expect(risk).toBeCloseTo(0.09, 12)
    expect(shortfall).toBeCloseTo(0.095, 12)
    expect(stats.sortinoRatio([0.1, -0.1, 0.1, -0.1], 1)).toBeCloseTo(0, 12)
    expect(stats.sharpeRatio([0.01, 0.01, 0.01], 252)).toBeNull()
  })

  test("a single holding has that holding's figures", async () => {
    const { rows, meta } = await runMarketTool(market, 'analyze_portfolio', {
      holdings: [{ symbol: 'MSFT', weight: 1 }],
      from: '2010-01-04',
      to: '2012-12-31',
      benchmark: 'MSFT',
    })
    const portfolio = meta.portfolio as Record<string, number>
    expect(rows[0]?.slice(2)).toEqual([
      portfolio.return_percent,
      portfolio.return_percent,
      portfolio.volatility_percent,
      1,
    ])
    expect(portfolio).toMatchObject({ beta: 1, correlation_with_benchmark: 1 })
    expect(meta.correlation).toEqual({ symbols: ['MSFT'], matrix: [[1]] })
  })

  test('a shorter period is reported, with the holding that starts late', async () => {
    const holdings = [
      { symbol: 'AAPL', weight: 0.6 },
      { symbol: 'MSFT', weight: 0.4 },
    ]
    const { meta } = await runMarketTool(market, 'analyze_portfolio', { holdings, range: '5y' })
    expect(meta.from).toBe('2013-05-13')
    expect(meta.warnings).toContain('Shorter than requested: AAPL starts on 2013-05-13 (adjust=all).')
    const whole = await runMarketTool(market, 'analyze_portfolio', { holdings, range: '1y' })
    expect(whole.meta.warnings.join()).not.toContain('Shorter')
  })

  test.each([
    [
      [
        { symbol: 'AAPL', weight: 60 },
        { symbol: 'MSFT', weight: 40 },
      ],
      /0.6 means 60 %/,
    ],
    [
      [
        { symbol: 'AAPL', weight: 0.5 },
        { symbol: 'aapl.us', weight: 0.5 },
      ],
      /AAPL is named twice/,
    ],
    [
      [
        { symbol: 'AAPL', weight: 0.5 },
        { symbol: 'NOPE', weight: 0.5 },
      ],
      /NOPE is not in the catalog/,
    ],
  ])('%j is refused', async (holdings, message) => {
    await expect(runMarketTool(market, 'analyze_portfolio', { holdings })).rejects.toThrow(message)
  })

  test('holdings that never traded together are refused with their dates', async () => {
    await expect(
      runMarketTool(market, 'analyze_portfolio', {
        holdings: [
          { symbol: 'GE', weight: 0.5 },
          { symbol: 'MSFT', weight: 0.5 },
        ],
        from: '1970-01-01',
        to: '1970-12-31',
      }),
    ).rejects.toThrow(/GE 1962-01-02 to 2015-06-08, MSFT 1986-03-13 to 2016-11-25/)
  })
})
