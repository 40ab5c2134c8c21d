import { describe, expect, test } from 'vitest'
import { loadDemoMarket, runMarketTool } from '../testing/demo-market.ts'

const market = await loadDemoMarket()
const getBars = (input: Record<string, unknown>) => runMarketTool(market, 'get_bars', input)
const refusal = async (input: Record<string, unknown>) =>
  getBars(input).then(
    () => 'answered',
    (error: { code?: string; message: string; detail?: object }) => error,
  )

describe('range', () => {
  test('counts back from the last bar held, not from today', async () => {
    const { rows, meta } = await getBars({ symbol: 'AAPL', range: '1y', limit: 1000 })
    expect(rows.length).toBe(252)
    expect(rows[0]?.[0]).toBe('2017-05-12')
    expect(rows.at(-1)).toEqual(['2018-05-11', 189.49, 190.06, 187.45, 188.59, 25806600])
    expect(meta).toMatchObject({
      symbol: 'AAPL',
      adjust: 'splits',
      currency: 'USD',
      as_of: '2018-05-11',
      row_count: 252,
      total_rows: 252,
      truncated: false,
    })
    expect(meta.warnings.join(' ')).toContain('Historical sample, not live: the last bar of AAPL is 2018-05-11.')
  })

  test.each([
    [{ range: 'ytd' }, '2018-01-02'],
    [{ range: '1mo' }, '2018-04-12'],
    [{ to: '2010-06-30', range: '1mo' }, '2010-06-01'],
    [{}, '2018-02-12'],
    [{ range: 'max' }, '1980-12-12'],
    [{ to: '1980-12-15' }, '1980-12-12'],
    [{ interval: '1mo', range: '1y' }, '2017-05-31'],
    [{ interval: '1y' }, '1980-12-31'],
  ])('%o begins with the bar of %s', async (input, first) => {
    expect((await getBars({ symbol: 'AAPL', columns: ['date'], ...input })).rows[0]).toEqual([first])
  })

  test('begins with a whole period, so that the first bar of a longer interval is complete', async () => {
    const { rows, meta } = await getBars({ symbol: 'AAPL', interval: '1mo', range: '1y' })
    const [, open] = rows[0]!
    expect((await getBars({ symbol: 'AAPL', from: '2017-05-01', limit: 1 })).rows[0]?.slice(0, 2)).toEqual([
      '2017-05-01',
      open,
    ])
    expect(meta.warnings.join(' ')).not.toContain('The first bar is incomplete')
  })

  test('from and to are inclusive', async () => {
    const { rows } = await getBars({ symbol: 'MSFT', from: '2004-11-12', to: '2004-11-16', columns: ['date'] })
    expect(rows).toEqual([['2004-11-12'], ['2004-11-15'], ['2004-11-16']])
  })

  test('9999-12-31 as to is the last bar', async () => {
    expect((await getBars({ symbol: 'AAPL', from: '2018-05-10', to: '9999-12-31' })).rows.length).toBe(2)
  })
})

test.each<[Record<string, string>, string]>([
  [{ from: '9999-12-31' }, 'from 9999-12-31 on'],
  [{ from: '0000-01-01', to: '1900-01-01' }, 'from 0000-01-01 to 1900-01-01'],
  [{ to: '1900-01-01' }, 'from 1899-10-02 to 1900-01-01'],
  [{ from: '2018-05-12' }, 'from 2018-05-12 on'],
  [{ from: '2017-12-30', to: '2017-12-31' }, 'from 2017-12-30 to 2017-12-31'],
  [{ from: '2017-12-31', to: '2017-12-31' }, 'on 2017-12-31'],
  [{ to: '1900-01-01', interval: '1mo' }, 'from 1895-01-01 to 1900-01-01'],
  [{ from: '2018-05-12', interval: '1h' }, 'from 2018-05-12 on'],
])('%o has no bars: an empty answer that says what is available', async (input, asked) => {
  const { rows, meta, next_cursor } = await getBars({ symbol: 'AAPL', ...input })
  expect(rows).toEqual([])
  expect(next_cursor).toBeNull()
  expect(meta).toMatchObject({ row_count: 0, total_rows: 0, truncated: false })
  const held =
    input.interval === '1h'
      ? 'AAPL has 1h bars from 2016-04-15 to 2016-05-13.'
      : 'AAPL has bars from 1980-12-12 to 2018-05-11.'
  expect(meta.warnings.at(-1)).toBe(`No bars ${asked}: ${held}`)
})

describe('the meaning of a bar', () => {
  test('columns are returned as requested, in that order', async () => {
    const { columns, rows } = await getBars({ symbol: 'AAPL', from: '2018-05-11', columns: ['close', 'date'] })
    expect(columns).toEqual(['close', 'date'])
    expect(rows).toEqual([[188.59, '2018-05-11']])
  })

  test('an incomplete first or last bar of a longer interval is reported', async () => {
    const { meta } = await getBars({ symbol: 'AAPL', interval: '1mo', from: '2018-01-15', to: '2018-03-15' })
    expect(meta.warnings).toContain('The first bar is incomplete: it covers sessions from 2018-01-16 on.')
    expect(meta.warnings).toContain('The last bar is incomplete: it covers sessions until 2018-03-15.')
    const whole = await getBars({ symbol: 'AAPL', interval: '1mo', from: '2018-01-01', to: '2018-03-31' })
    expect(whole.meta.warnings.join(' ')).not.toContain('incomplete')
    const held = await getBars({ symbol: 'AAPL', interval: '1mo', range: '3mo' })
    expect(held.meta.warnings).toContain('The last bar is incomplete: it covers sessions until 2018-05-11.')
  })

  test('an adjustment that exists only for later years says so and omits the rest', async () => {
    const { rows, meta } = await getBars({ symbol: 'AAPL', adjust: 'all', range: 'max' })
    expect(rows[0]?.[0]).toBe('2013-05-13')
    expect(meta.warnings.join(' ')).toContain('adjust=all is available from 2013-05-13; earlier bars are omitted.')
    const before = await getBars({ symbol: 'AAPL', adjust: 'all', to: '2010-01-01' })
    expect(before.rows).toEqual([])
  })

  test.each([
    ['^GSPC', 'SPX'],
    ['s&p 500', 'SPX'],
    ['aapl.xnas', 'AAPL'],
    [' MSFT ', 'MSFT'],
    ['GE.US', 'GE'],
    ['ＡＡＰＬ', 'AAPL'],
  ])('%s is %s', async (name, symbol) => {
    expect((await getBars({ symbol: name })).meta.symbol).toBe(symbol)
  })
})

describe('refusals', () => {
  test.each([
    [
      { symbol: 'APPL' },
      'unknown_symbol',
      /^APPL is not in the catalog\. Did you mean AAPL\?/,
      { param: 'symbol', suggestions: ['AAPL'] },
    ],
    [{ symbol: 'MFST' }, 'unknown_symbol', /Did you mean MSFT\?/, { suggestions: ['MSFT'] }],
    [{ symbol: 'GEE' }, 'unknown_symbol', /Did you mean GE\?/, { suggestions: ['GE'] }],
    [{ symbol: 'AA/PL' }, 'unknown_symbol', /Did you mean AAPL\?/, {}],
    [{ symbol: '../../etc/passwd' }, 'unknown_symbol', /search_symbols/, { suggestions: [] }],
    [{ symbol: '株式会社' }, 'unknown_symbol', /search_symbols/, { suggestions: [] }],
    [{ symbol: '^.' }, 'unknown_symbol', /search_symbols/, { suggestions: [] }],
    [
      { symbol: 'AAPL', from: '2018-02-01', to: '2018-01-01' },
      'invalid_parameter',
      /to \(2018-01-01\) is before from \(2018-02-01\)/,
      { param: 'to' },
    ],
    [
      { symbol: 'AAPL', from: '2018-02-01', range: '1y' },
      'invalid_parameter',
      /Send either from or range/,
      { param: 'range' },
    ],
    [
      { symbol: 'AAPL', limit: 10_001 },
      'invalid_parameter',
      /10001 rows are too many .* 10000 .* format=csv or format=ndjson/,
      { param: 'limit' },
    ],
  ])('%o is %s', async (input, code, message, detail) => {
    const error = await refusal(input)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message), detail })
  })

  test.each([
    [{ symbol: '' }, 'symbol'],
    [{ symbol: 'A'.repeat(10_000) }, 'symbol'],
    [{ symbol: 'AAPL', interval: '2h' }, 'interval'],
    [{ symbol: 'AAPL', from: '2018-02-30' }, 'from'],
    [{ symbol: 'AAPL', to: '11/05/2018' }, 'to'],
    [{ symbol: 'AAPL', to: '2018-13-01' }, 'to'],
    [{ symbol: 'AAPL', to: '1'.repeat(10_000) }, 'to'],
    [{ symbol: 'AAPL', range: '10y' }, 'range'],
    [{ symbol: 'AAPL', adjust: 'dividends' }, 'adjust'],
    [{ symbol: 'AAPL', columns: ['date', 'vwap'] }, 'columns.1'],
    [{ symbol: 'AAPL', columns: [] }, 'columns'],
    [{ symbol: 'AAPL', columns: ['date', 'date'] }, 'columns'],
    [{ symbol: 'AAPL', limit: 0 }, 'limit'],
    [{ symbol: 'AAPL', limit: 1_000_001 }, 'limit'],
    [{ symbol: 'AAPL', ticker: 'MSFT' }, ''],
  ])('%o is refused at %s', async (input, path) => {
    await expect(getBars(input)).rejects.toMatchObject({
      issues: [
        expect.objectContaining({
          path: path === '' ? [] : path.split('.').map((part) => (/^\d/.test(part) ? Number(part) : part)),
        }),
      ],
    })
  })
})

describe('cursor', () => {
  const request = { symbol: 'GE', range: '1y', columns: ['date'], limit: 100 }

  test.each(['1d', '1w'])('pages of %s bars join to the whole, without gap or repeat', async (interval) => {
    const whole = await getBars({ ...request, interval, limit: 1000 })
    const rows: unknown[] = []
    let cursor: string | null = null
    do {
      const page = await getBars({ ...request, interval, limit: 40, ...(cursor && { cursor }) })
      expect(page.meta).toMatchObject({ total_rows: whole.rows.length, truncated: page.next_cursor !== null })
      rows.push(...page.rows)
      cursor = page.next_cursor
    } while (cursor)
    expect(rows).toEqual(whole.rows)
  })

  test('any changed character is refused as damaged', async () => {
    const { next_cursor: cursor } = await getBars(request)
    for (let index = 0; index < cursor!.length; index++) {
      for (const letter of 'AQgwBRhx_') {
        if (cursor![index] === letter) continue
        const altered = cursor!.slice(0, index) + letter + cursor!.slice(index + 1)
        expect(await refusal({ ...request, cursor: altered }), altered).toMatchObject({
          code: 'invalid_parameter',
          detail: { param: 'cursor' },
          message: expect.stringContaining('damaged'),
        })
      }
    }
  })

  test.each(['', 'x', '{}', '%00', 'é'.repeat(22), 'A'.repeat(22)])('%s is refused as damaged', async (cursor) => {
    expect(await refusal({ ...request, cursor: cursor || ' ' })).toMatchObject({
      code: 'invalid_parameter',
      detail: { param: 'cursor' },
    })
  })

  test.each([
    { interval: '1w' },
    { symbol: 'MSFT' },
    { range: '6mo' },
    { adjust: 'all' },
    { columns: ['date', 'close'] },
    { to: '2015-01-01' },
  ])('with another %o it is refused, naming the cause', async (other) => {
    const { next_cursor: cursor } = await getBars(request)
    expect(await refusal({ ...request, ...other, cursor })).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining('a different request'),
    })
  })

  test('an alias in place of the symbol and another limit are fine', async () => {
    const { next_cursor: cursor } = await getBars(request)
    expect((await getBars({ ...request, symbol: 'ge.xnys', limit: 10, cursor })).rows.length).toBe(10)
  })

  test('a cursor of older data is expired', async () => {
    const { next_cursor: cursor } = await getBars(request)
    const instrument = market.catalog.find('GE')!
    const version = instrument.datasetVersion
    instrument.datasetVersion = 'ge-daily@00000000'
    try {
      expect(await refusal({ ...request, cursor })).toMatchObject({ code: 'cursor_expired' })
    } finally {
      instrument.datasetVersion = version
    }
  })
})
