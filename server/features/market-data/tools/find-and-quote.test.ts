import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { loadDemoMarket, runMarketTool } from '../testing/demo-market.ts'

const market = await loadDemoMarket()

describe('get_quote', () => {
  const quote = (input: Record<string, unknown>) => runMarketTool(market, 'get_quote', input)

  test('returns the last close, the change from the previous session, and the age', async () => {
    // No midnight between the answer and the age that is expected.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
    const { columns, rows, meta } = await quote({ symbols: ['AAPL', '^GSPC'] })
    expect(columns).toEqual([
      'symbol',
      'date',
      'close',
      'previous_close',
      'change',
      'change_percent',
      'currency',
      'age_days',
      'delayed',
    ])
    const age = (date: string) => Math.floor(Date.now() / 86_400_000) - Date.parse(date) / 86_400_000
    expect(rows).toEqual([
      ['AAPL', '2018-05-11', 188.59, 190.04, -1.45, -0.763, 'USD', age('2018-05-11'), true],
      ['SPX', '2020-04-17', 2874.56, 2799.55, 75.01, 2.6794, 'USD', age('2020-04-17'), true],
    ])
    expect(meta.warnings).toContain('Historical samples, not live prices: see date and age_days.')
  })

  test('on a date without a session takes the close before it', async () => {
    const { rows } = await quote({ symbols: ['SPX'], on: '1987-10-25' })
    expect(rows[0]?.slice(0, 3)).toEqual(['SPX', '1987-10-23', 248.22])
    expect(rows[0]?.[7]).toBe(2)
  })

  test('Black Monday was minus 20.47 percent', async () => {
    expect((await quote({ symbols: ['SPX'], on: '1987-10-19' })).rows[0]?.[5]).toBeCloseTo(-20.47, 2)
  })

  test('a split between two sessions is no change of price', async () => {
    const [[, , close, previous, , percent]] = (await quote({ symbols: ['GE'], on: '2000-05-08' })).rows as [unknown[]]
    expect([close, previous]).toEqual([52.4375, 52.6667])
    expect(percent).toBeCloseTo(-0.4352, 3)
  })

  test('the very first bar has no change', async () => {
    expect((await quote({ symbols: ['MSFT'], on: '1986-03-13' })).rows[0]?.slice(3, 6)).toEqual([null, null, null])
  })

  test('an unknown symbol and one without data by then are reported, and do not affect the rest', async () => {
    const { rows, meta } = await quote({ symbols: ['GE', 'MFST', 'AAPL'], on: '1970-01-04' })
    expect(rows.map(([symbol, date]) => [symbol, date])).toEqual([['GE', '1970-01-02']])
    expect(meta.errors).toEqual([
      expect.objectContaining({ symbol: 'MFST', code: 'unknown_symbol', suggestions: ['MSFT'] }),
      expect.objectContaining({ symbol: 'AAPL', code: 'no_data', message: expect.stringContaining('1980-12-12') }),
    ])
  })

  test('one symbol under two names is one row', async () => {
    expect((await quote({ symbols: ['AAPL', 'aapl.us'] })).rows.length).toBe(1)
  })

  test('only unknown symbols are an error', async () => {
    await expect(quote({ symbols: ['APPL'] })).rejects.toMatchObject({
      code: 'unknown_symbol',
      detail: { param: 'symbols', suggestions: ['AAPL'] },
    })
  })

  test.each([[[]], [Array.from({ length: 101 }, () => 'AAPL')], [['A'.repeat(41)]]])(
    'a list outside its bounds is refused',
    async (symbols) => {
      await expect(quote({ symbols })).rejects.toMatchObject({
        issues: [expect.objectContaining({ path: expect.arrayContaining(['symbols']) })],
      })
    },
  )
})

describe('search_symbols', () => {
  const search = async (input: Record<string, unknown>) => (await runMarketTool(market, 'search_symbols', input)).rows

  test.each([
    ['AAPL', 'AAPL'],
    ['apple', 'AAPL'],
    ['general elec', 'GE'],
    ['^gspc', 'SPX'],
    ['nasdaq', 'NDX'],
    ['s&p', 'SPX'],
    ['microsft', 'MSFT'],
    ['IBM', 'IBM'],
    ['exxon', 'XOM'],
    ['consumer price', 'US.CPI'],
  ])('%s finds %s first', async (query, symbol) => {
    expect((await search({ query }))[0]?.[0]).toBe(symbol)
  })

  test('a match has kind, exchange and the available dates', async () => {
    expect((await search({ query: 'GE' }))[0]).toEqual([
      'GE',
      'General Electric Company',
      'stock',
      'XNYS',
      'USD',
      '1962-01-02',
      '2015-06-08',
      'bars',
      1,
    ])
  })

  test('an empty query lists everything, by symbol; type filters; a limit is reported', async () => {
    const all = await search({ limit: 500 })
    const withData = all.filter((row) => String(row[7]).startsWith('bars')).map(([symbol]) => symbol)
    expect(withData).toEqual(['AAPL', 'BTC/USD', 'GE', 'MSFT', 'NDX', 'SPX', 'VIX', 'YHOO'])
    expect(all.map(([symbol]) => symbol)).toEqual(expect.arrayContaining(['IBM', 'US.CPI', 'US.SHILLER.CAPE']))
    expect((await search({ exchange: 'xnys', type: 'stock', limit: 500 })).every((row) => row[3] === 'XNYS')).toBe(true)
    expect((await search({ exchange: 'XNYS', limit: 500 })).map(([symbol]) => symbol)).toContain('GE')
    expect((await search({ type: 'index' })).map(([symbol]) => symbol)).toEqual(['NDX', 'SPX', 'VIX'])
    const { meta } = await runMarketTool(market, 'search_symbols', { limit: 2 })
    expect(meta).toMatchObject({ row_count: 2, total_rows: 570, truncated: true })
  })

  test.each(['zzzzzz', '%', '株式会社', '.*'])('%s finds nothing, and the answer says what to do', async (query) => {
    const { rows, meta } = await runMarketTool(market, 'search_symbols', { query })
    expect(rows).toEqual([])
    expect(meta.warnings[0]).toContain('Send an empty query to list everything')
  })

  test('a query of 10 kB is refused', async () => {
    await expect(search({ query: 'A'.repeat(10_000) })).rejects.toMatchObject({
      issues: [expect.objectContaining({ path: ['query'] })],
    })
  })
})
