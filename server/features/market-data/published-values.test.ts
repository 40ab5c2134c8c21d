import { describe, expect, test } from 'vitest'
import type { Cell } from '../tools/define-tool.ts'
import { fixture, loadDemoMarket, runMarketTool } from './testing/demo-market.ts'

const market = await loadDemoMarket()

/** Every bar of a symbol by date: open, high, low, close, volume. */
async function bars(symbol: string, adjust: string, interval = '1d'): Promise<Map<string, Cell[]>> {
  const all = new Map<string, Cell[]>()
  let cursor: string | null | undefined
  do {
    const table = await runMarketTool(market, 'get_bars', {
      symbol,
      adjust,
      interval,
      range: 'max',
      limit: 10_000,
      ...(cursor && { cursor }),
    })
    for (const [date, ...cells] of table.rows) all.set(String(date), cells)
    cursor = table.next_cursor
  } while (cursor)
  return all
}

/** Whether `value` equals `published` within half a unit of its last decimal, and the noise of the source. */
const agrees = (value: Cell | undefined, published: string, noise = 1e-6) => {
  const decimals = published.split('.')[1]?.length ?? 0
  return Math.abs(Number(value) - Number(published)) <= 0.5 * 10 ** -decimals + noise
}

test('GE split-adjusted by us equals the split-adjusted prices that were published, on all 13,450 days', async () => {
  const ours = await bars('GE', 'splits')
  const published = fixture('ge-split-adjusted.csv.gz')
  expect(published.length).toBe(13_450)
  const wrong = published.filter(
    ([date, ...prices]) => !prices.every((price, index) => agrees(ours.get(date!)?.[index], price)),
  )
  expect(wrong).toEqual([])
})

test('GE fully adjusted is the published adjusted close, with its bars in order, on all days', async () => {
  const ours = await bars('GE', 'all')
  expect(ours.size).toBe(13_450)
  expect(ours.get('1962-01-02')?.[3]).toBe(0.14964)
  expect(ours.get('2000-05-05')?.[3]).toBe(33.15001)
  const disordered = [...ours].filter(
    ([, [open, high, low, close]]) =>
      Number(low) > Math.min(Number(open), Number(close)) || Number(high) < Math.max(Number(open), Number(close)),
  )
  expect(disordered).toEqual([])
})

test('S&P 500 closes agree with a second source on all 3,881 common days', async () => {
  const ours = await bars('SPX', 'none')
  const published = fixture('sp500-second-source.csv.gz')
  expect(published.length).toBe(3_881)
  expect(
    published.filter(([date, close]) => Math.abs(Number(ours.get(date!)?.[3]) / Number(close) - 1) > 1e-6),
  ).toEqual([])
})

test.each([
  ['MSFT', 'all', 0],
  // Our Apple prices of these years are in cents and adjusted for a later 7-for-1 split.
  ['AAPL', 'splits', 0.005],
] as const)(
  'monthly %s moves as an independently published monthly series does, 2000 to 2010',
  async (symbol, adjust, ourRounding) => {
    const monthly = await bars(symbol, adjust, '1mo')
    const ours = new Map([...monthly].map(([date, cells]) => [date.slice(0, 7), Number(cells[3])]))
    const published = fixture('monthly-adjusted.csv.gz').filter((row) => row[0] === symbol && row[1]! < '2010-03')
    expect(published.length).toBe(122)
    // The other series was adjusted as of 2010 and ours at a later date, so they differ by one factor; the other one is
    // in cents.
    const ratios = published.map(([, month, close]) => ours.get(month!)! / Number(close)).sort((a, b) => a - b)
    const factor = ratios[61]!
    const wrong = published.filter(([, month, close]) => {
      const difference = Math.abs(ours.get(month!)! / factor - Number(close))
      return difference > 0.005 + ourRounding / factor + 0.0005 * Number(close)
    })
    expect(wrong).toEqual([])
  },
)

describe('prices as they were quoted at the time', () => {
  test.each([
    // Microsoft's first day, the peak of 1999, and the day before the special dividend of $3.08.
    ['MSFT', '1986-03-13', 28],
    ['MSFT', '1999-12-31', 116.75],
    ['MSFT', '2004-11-12', 29.97],
    ['GE', '2000-05-05', 158],
    ['AAPL', '2013-05-13', 454.74],
    // Black Monday, the peak of 2000, the low of March 2009.
    ['SPX', '1987-10-19', 224.84],
    ['SPX', '2000-03-24', 1527.46],
    ['SPX', '2009-03-09', 676.53],
    ['NDX', '2000-03-27', 4704.73],
  ])('%s closed at %s on %d', async (symbol, date, close) => {
    const table = await runMarketTool(market, 'get_bars', {
      symbol,
      from: date,
      to: date,
      adjust: 'none',
      columns: ['close'],
    })
    expect(Number(table.rows[0]?.[0])).toBeCloseTo(close, 2)
  })

  test.each([
    ['1913-01-01', 9.8],
    ['1983-12-01', 101.3],
    ['2008-07-01', 219.964],
    ['2020-01-01', 257.971],
  ])('US consumer prices of %s stood at %d', (date, value) => {
    const series = market.series.get('US.CPI')!
    const index = [...series.times].indexOf(Date.parse(date) / 86_400_000)
    expect(series.values[index]).toBe(value)
  })
})
