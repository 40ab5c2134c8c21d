import { expect, test } from 'vitest'
import { headlinesOf } from '../../../web/features/answer/headline.ts'
import { picturesOf } from '../../../web/features/answer/picture.ts'
import { metaOf, readTable } from '../../../web/features/answer/read-table.ts'
import { loadDemoMarket, runMarketTool } from '../market-data/testing/demo-market.ts'

const market = await loadDemoMarket()

/** What the screens make of a real answer. */
async function seen(tool: string, input: Record<string, unknown>) {
  const data = { structuredContent: await runMarketTool(market, tool, input) }
  const table = readTable(data)!
  const [headline] = headlinesOf(table, metaOf(data))
  return {
    headline: headline && [headline.symbol, headline.value, headline.unit, headline.dateText],
    change: headline?.change && [headline.change.direction, headline.change.amount, headline.change.since],
    pictures: picturesOf(table, metaOf(data)).map(({ kind, title, unit, points }) => {
      const last = points.at(-1)!
      return [kind, title, unit, points[0]!.label, last.label, `${last.name}: ${last.said}`]
    }),
  }
}

test('a daily series: its unit, the last day, and a line from the first day on', async () => {
  expect(await seen('get_economic_series', { series_id: 'OIL.WTI', range: '1mo' })).toEqual({
    headline: ['OIL.WTI', '86.48', 'US dollars per barrel', 'Aug 18, 2026'],
    change: ['up', '2.10', 'since Jul 20, 2026'],
    pictures: [['lines', 'OIL.WTI', 'US dollars per barrel', 'Jul 20', 'Aug 18', 'Aug 18, 2026: 86.48']],
  })
})

test('a monthly series is dated by months, a rate changes in points', async () => {
  expect(await seen('get_economic_series', { series_id: 'US.CPI', range: '5y', units: 'yoy' })).toEqual({
    headline: ['US.CPI', '4.25', 'Percent', 'May 2026'],
    change: ['down', '1.14 points', 'since Jun 2021'],
    pictures: [['lines', 'US.CPI', 'Percent', 'Jun 2021', 'May 2026', 'May 2026: 4.25']],
  })
})

test('bars are candles first, then a line of closes', async () => {
  expect(await seen('get_bars', { symbol: 'VIX', range: '1mo' })).toEqual({
    headline: ['VIX', '18.70', 'USD', 'Jul 23, 2026'],
    change: ['up', '0.07', 'since Jun 24, 2026'],
    pictures: [
      [
        'candles',
        'VIX price',
        'USD',
        'Jun 24',
        'Jul 23',
        'Jul 23, 2026: open 17.67, high 20.31, low 17.32, close 18.70',
      ],
      ['lines', 'VIX close', 'USD', 'Jun 24', 'Jul 23', 'Jul 23, 2026: 18.70'],
    ],
  })
})

test('minutes have their time and zone', async () => {
  const { pictures } = await seen('get_bars', { symbol: 'AAPL', interval: '30m', from: '2016-05-13', to: '2016-05-13' })
  expect(pictures[1]).toEqual(['lines', 'AAPL close', 'USD', '1:30 PM', expect.any(String), expect.any(String)])
  expect(pictures[1]![5]).toMatch(/^May 13, 2016, \d:\d\d PM UTC: \d+(\.\d+)?$/)
})

test.each(['lines', 'periods'])('statements are bars with units, with %s as rows', async (orient) => {
  expect(await seen('get_financials', { symbol: 'AAPL', limit: 3, orient })).toEqual({
    headline: ['AAPL', '416.2 B', 'USD', 'Revenue, FY 2025'],
    change: ['up', '25.1 B', 'since FY 2024'],
    pictures: [['bars', 'AAPL revenue', 'USD', 'FY 2023', 'FY 2025', 'FY 2025: 416.2 B']],
  })
})

test('a balance sheet shows its assets, one period no chart, and per-share figures stay small', async () => {
  const { headline } = await seen('get_financials', { symbol: 'AAPL', statement: 'balance', limit: 2 })
  expect(headline).toEqual(['AAPL', '359.2 B', 'USD', 'Total assets, FY 2025'])
  expect((await seen('get_financials', { symbol: 'AAPL', limit: 1 })).pictures).toEqual([])
  const eps = await seen('get_financials', { symbol: 'AAPL', fields: ['eps'], limit: 2 })
  expect(eps.headline).toEqual(['AAPL', '7.46', 'USD', 'EPS, FY 2025'])
})

test('a quote has a figure and no chart; a search has neither', async () => {
  expect(await seen('get_quote', { symbols: ['AAPL'] })).toEqual({
    headline: ['AAPL', '188.59', 'USD', 'May 11, 2018'],
    change: ['down', '1.45', 'since the previous close'],
    pictures: [],
  })
  expect(await seen('search_symbols', { query: 'apple' })).toEqual({
    headline: undefined,
    change: undefined,
    pictures: [],
  })
})
