import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sec } from '../../../../datasets/connectors/sec/connector.ts'
import { temporaryFolder } from '../../../testing/temporary-folder.ts'
import { assemble, type MarketData } from '../../market-data/market-data.ts'
import { runMarketTool } from '../../market-data/testing/demo-market.ts'
import { quarterLines } from '../quarter-report.ts'
import { type ConnectorBench, connectorBench } from './testing/connector-bench.ts'

const recorded = ['AAPL', 'NVDA', 'GOOGL', 'LPA']

/** The published datasets of a bench as a server would serve them. */
async function marketOf(bench: ConnectorBench): Promise<MarketData> {
  const parts = await Promise.all(['sec-statements', 'sec-companies'].map((id) => bench.served(id)))
  return assemble(parts.filter((part) => part !== null))
}

let bench: ConnectorBench
let market: MarketData
beforeAll(async () => {
  bench = await connectorBench(sec)
  expect(await bench.run({ selection: recorded })).toMatchObject({ outcome: 'published' })
  market = await marketOf(bench)
})
afterAll(() => bench.close())

/** Values by column, one for each row. */
async function values(input: Record<string, unknown>): Promise<Record<string, unknown>[]> {
  const { columns, rows } = await runMarketTool(market, 'get_financials', { orient: 'values', limit: 20, ...input })
  return rows.map((cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at]])))
}

const one = async (symbol: string, line: string, end: string, more: Record<string, unknown> = {}) =>
  (await values({ symbol, fields: [line], ...more })).find((row) => row.period_end === end)

describe('annual statements', () => {
  /** Figures of the reports themselves, with the newest filing that has them. */
  test.each([
    ['AAPL', 'revenue', '2024-09-28', 391_035_000_000, '0000320193-25-000079', '10-K', '2025-10-31'],
    ['AAPL', 'revenue', '2025-09-27', 416_161_000_000, '0000320193-25-000079', '10-K', '2025-10-31'],
    ['AAPL', 'net_income', '2023-09-30', 96_995_000_000, '0000320193-25-000079', '10-K', '2025-10-31'],
    ['AAPL', 'eps', '2024-09-28', 6.08, '0000320193-25-000079', '10-K', '2025-10-31'],
    ['AAPL', 'total_assets', '2024-09-28', 364_980_000_000, '0000320193-25-000079', '10-K', '2025-10-31'],
    ['AAPL', 'total_equity', '2024-09-28', 56_950_000_000, '0000320193-26-000006', '10-Q', '2026-01-30'],
    ['AAPL', 'operating_cash_flow', '2024-09-28', 118_254_000_000, '0000320193-25-000079', '10-K', '2025-10-31'],
    ['AAPL', 'capital_expenditures', '2024-09-28', -9_447_000_000, '0000320193-25-000079', '10-K', '2025-10-31'],
    ['AAPL', 'total_assets', '2009-09-26', 47_501_000_000, '0001193125-11-282113', '10-K', '2011-10-26'],
    ['NVDA', 'revenue', '2025-01-26', 130_497_000_000, '0001045810-26-000021', '10-K', '2026-02-25'],
    ['NVDA', 'revenue', '2026-01-25', 215_938_000_000, '0001045810-26-000021', '10-K', '2026-02-25'],
    ['NVDA', 'gross_profit', '2025-01-26', 97_858_000_000, '0001045810-26-000021', '10-K', '2026-02-25'],
    ['NVDA', 'capital_expenditures', '2025-01-26', -3_236_000_000, '0001045810-26-000021', '10-K', '2026-02-25'],
    ['GOOGL', 'net_income', '2024-12-31', 100_118_000_000, '0001652044-26-000018', '10-K', '2026-02-05'],
    ['GOOG', 'eps', '2024-12-31', 8.04, '0001652044-26-000018', '10-K', '2026-02-05'],
    ['GOOGL', 'operating_cash_flow', '2024-12-31', 125_299_000_000, '0001652044-26-000018', '10-K', '2026-02-05'],
    ['LPA', 'total_assets', '2024-12-31', 607_019_578, '0001997711-25-000030', '20-F', '2025-04-02'],
  ])('%s %s %s', async (symbol, line, end, value, accession, form, filed) => {
    expect(await one(symbol, line, end)).toMatchObject({ value, accession, form, filed, derived: null })
  })

  test('a line without a tag is the difference of two, and says so', async () => {
    expect(await one('GOOGL', 'gross_profit', '2024-12-31')).toMatchObject({
      value: 203_712_000_000,
      tag: null,
      reported: null,
      derived: 'revenue less cost_of_revenue',
    })
  })

  test('Nvidia is one series across its change of tags, and its years have the names it gives them', async () => {
    const rows = await values({ symbol: 'NVDA', fields: ['revenue'] })
    expect(rows.filter(({ fiscal_year: year }) => [2021, 2022, 2023].includes(year as number))).toMatchObject([
      { fiscal_year: 2023, period_end: '2023-01-29', value: 26_974_000_000 },
      { fiscal_year: 2022, period_end: '2022-01-30', value: 26_914_000_000 },
      { fiscal_year: 2021, period_end: '2021-01-31', value: 16_675_000_000 },
    ])
    expect(new Set(rows.map(({ tag }) => tag)).size).toBe(2)
    expect(rows).toHaveLength(19)
  })

  test("a 20-F in IFRS has its owners' loss, its currency and no quarters", async () => {
    const { rows, meta } = await runMarketTool(market, 'get_financials', {
      symbol: 'LPA',
      fields: ['net_income', 'revenue'],
      orient: 'periods',
    })
    expect(rows[0]).toEqual(['2024-12-31', 2024, -29_285_428, 43_862_372])
    expect(meta).toMatchObject({ currency: 'USD', available: { periods: 4, first: '2021-12-31', last: '2024-12-31' } })
    const quarters = await runMarketTool(market, 'get_financials', { symbol: 'LPA', period: 'quarterly' })
    expect(quarters.rows).toEqual([])
    expect(quarters.meta.warnings).toContain('No quarterly statements of LPA are available; nothing was charged.')
  })
})

describe('point in time', () => {
  test.each([
    ['revenue', '2009-10-26', undefined, undefined],
    ['revenue', '2009-10-27', 36_537_000_000, '10-K'],
    ['revenue', '2010-01-24', 36_537_000_000, '10-K'],
    ['revenue', '2010-01-25', 42_905_000_000, '10-K/A'],
    ['total_assets', '2010-01-24', 53_851_000_000, '10-K'],
    ['total_assets', '2010-01-25', 47_501_000_000, '10-K/A'],
  ])('Apple, fiscal 2009: %s as of %s', async (line, as_of, value, form) => {
    const found = await one('AAPL', line, '2009-09-26', { as_of })
    expect([found?.value, found?.form]).toEqual([value, form])
  })

  test('earnings per share of before the split, and after', async () => {
    expect(await one('NVDA', 'eps', '2023-01-29', { as_of: '2024-12-31' })).toMatchObject({
      value: 1.74,
      accession: '0001045810-24-000029',
      restated: false,
    })
    expect(await one('NVDA', 'eps', '2023-01-29')).toMatchObject({ value: 0.17, restated: true })
  })

  test('nothing is known before the first filing', async () => {
    const { rows, meta } = await runMarketTool(market, 'get_financials', { symbol: 'AAPL', as_of: '2001-01-01' })
    expect(rows).toEqual([])
    expect(meta.warnings.at(-1)).toBe('No statements of AAPL are available as of 2001-01-01; nothing was charged.')
  })
})

describe('quarters', () => {
  const quarterly = { period: 'quarterly' }

  test.each([
    ['NVDA', 'revenue', '2026-01-25', 68_127_000_000, 'year less 9 months'],
    ['AAPL', 'net_income', '2025-09-27', 27_466_000_000, 'year less 9 months'],
    ['NVDA', 'revenue', '2025-10-26', 57_006_000_000, null],
    // 66,530 in nine months less 42,779 in six.
    ['NVDA', 'operating_cash_flow', '2025-10-26', 23_751_000_000, '9 months less 6 months'],
    ['AAPL', 'total_assets', '2025-09-27', 359_241_000_000, null],
  ])('%s %s to %s', async (symbol, line, end, value, derived) => {
    expect(await one(symbol, line, end, quarterly)).toMatchObject({ value, derived })
  })

  test('a fourth quarter has no earnings per share, because they do not add up', async () => {
    expect(await one('AAPL', 'eps', '2025-09-27', quarterly)).toBeUndefined()
    expect(await one('AAPL', 'eps', '2025-06-28', quarterly)).toMatchObject({ value: 1.57, derived: null })
  })

  /**
   * Years that are not the sum of their quarters in the filings either. Apple restated operating cash flow for restricted
   * cash, Alphabet operating income for pension cost and 2015 for share settlements, in annual reports and in some quarters
   * only. Apple's dividends of single quarters are from a note without the payments at vesting.
   */
  test('four quarters are their year, but for rounding and restatements of the year alone; the report says why', () => {
    const lines = quarterLines(market.statements.filed)
    expect(lines.map((line) => line.replace(/(: \d+ lines.*|: -?[\d,]+, quarters.*)$/, '').trim())).toEqual([
      'AAPL  Apple Inc.',
      '2015 dividends_paid',
      '2016 operating_cash_flow',
      '2016 dividends_paid',
      '2017 operating_cash_flow',
      '2017 dividends_paid',
      'NVDA  NVIDIA CORP',
      'GOOGL  ALPHABET INC.',
      '2015 operating_cash_flow',
      '2015 capital_expenditures',
      '2015 financing_cash_flow',
      '2017 operating_income',
      'LPA  Logistic Properties of the Americas',
    ])
    expect(lines[0]).toBe('AAPL  Apple Inc.: 132 lines of years compared, 5 differ')
    expect(lines).toContain(
      '  2017 operating_income: 26,178,000,000, quarters 26,146,000,000: the year was restated (last in 10-K of 2020-02-04), its first nine months never were',
    )
  })
})

describe('other companies', () => {
  const answers = temporaryFolder()
  let own: ConnectorBench
  beforeAll(async () => {
    await mkdir(join(answers, 'edgar/companyfacts'), { recursive: true })
    await writeFile(join(answers, 'edgar/companyfacts/CIK0000000042.json'), JSON.stringify(longQuarters))
    await writeFile(join(answers, 'edgar/companyfacts/CIK0000000043.json'), JSON.stringify(foreign))
    own = await connectorBench(sec, answers)
    expect(await own.run({ selection: ['CIK42', '0000000043', 'NOPE'] })).toMatchObject({
      outcome: 'published',
      reasons: expect.arrayContaining(['NOPE: the SEC lists no such symbol']),
    })
    const other = await marketOf(own)
    market = other
  })
  afterAll(async () => {
    market = await marketOf(bench)
    await own.close()
  })

  test('quarters of 16, 12, 12 and 12 weeks are four quarters, and the last is the rest of the year', async () => {
    const rows = await values({ symbol: 'CIK0000000042', fields: ['revenue'], period: 'quarterly' })
    expect(rows).toMatchObject([
      { period_end: '2024-02-03', fiscal_year: 2023, fiscal_quarter: 4, value: 100, derived: 'year less 9 months' },
      { period_end: '2023-11-11', fiscal_year: 2023, fiscal_quarter: 3, value: 120 },
      { period_end: '2023-08-19', fiscal_year: 2023, fiscal_quarter: 2, value: 110 },
      { period_end: '2023-05-27', fiscal_year: 2023, fiscal_quarter: 1, value: 170 },
    ])
  })

  test('a wrong fiscal year in one filing does not rename the years', async () => {
    const rows = await values({ symbol: 'CIK0000000042', fields: ['revenue'] })
    expect(rows.map(({ fiscal_year: year, period_end: end }) => [year, end])).toEqual([
      [2023, '2024-02-03'],
      [2022, '2023-01-28'],
      [2021, '2022-01-29'],
    ])
  })

  test('a quarter of a year that was restated alone is computed from what was reported before', async () => {
    const [fourth] = await values({ symbol: 'CIK0000000042', fields: ['net_income'], period: 'quarterly' })
    expect(fourth).toMatchObject({ value: 11, derived: 'year less 9 months, both as reported before a restatement' })
    expect(await one('CIK0000000042', 'net_income', '2024-02-03')).toMatchObject({ value: 90, restated: true })
  })

  test('the currency of the reports counts, not that of a translation; pay tables do not count', async () => {
    const { rows, meta } = await runMarketTool(market, 'get_financials', {
      symbol: 'CIK0000000043',
      fields: ['revenue', 'net_income'],
      orient: 'periods',
    })
    expect(rows).toEqual([
      ['2024-12-31', 2024, 720, 72],
      ['2023-12-31', 2023, 710, 71],
    ])
    expect(meta.currency).toBe('CNY')
  })
})

type Given = [start: string, end: string, val: number, accn: string, fy: number, form: string, filed: string]
const units = (unit: string, rows: Given[]) => ({
  units: {
    [unit]: rows.map(([start, end, val, accn, fy, form, filed]) => ({
      start,
      end,
      val,
      accn,
      fy,
      fp: 'FY',
      form,
      filed,
    })),
  },
})
const [K22, K23, K24, Q1, Q2, Q3] = ['22-000001', '23-000001', '24-000001', '23-000002', '23-000003', '23-000004'].map(
  (end) => `0000000042-${end}`,
)

/** A made-up grocer: the first quarter has 16 weeks, and fiscal 2023 ends in February 2024. Its 10-K of 2023 names a wrong year. */
const longQuarters = {
  cik: 42,
  entityName: 'Long Quarters Inc.',
  facts: {
    'us-gaap': {
      Revenues: units('USD', [
        ['2021-01-31', '2022-01-29', 400, K22!, 2021, '10-K', '2022-03-20'],
        ['2022-01-30', '2023-01-28', 450, K23!, 2024, '10-K', '2023-03-20'],
        ['2021-01-31', '2022-01-29', 400, K23!, 2024, '10-K', '2023-03-20'],
        ['2023-01-29', '2023-05-27', 170, Q1!, 2023, '10-Q', '2023-06-20'],
        ['2023-05-28', '2023-08-19', 110, Q2!, 2023, '10-Q', '2023-09-20'],
        ['2023-01-29', '2023-08-19', 280, Q2!, 2023, '10-Q', '2023-09-20'],
        ['2023-08-20', '2023-11-11', 120, Q3!, 2023, '10-Q', '2023-12-10'],
        ['2023-01-29', '2023-11-11', 400, Q3!, 2023, '10-Q', '2023-12-10'],
        ['2023-01-29', '2024-02-03', 500, K24!, 2023, '10-K', '2024-03-20'],
        ['2022-01-30', '2023-01-28', 450, K24!, 2023, '10-K', '2024-03-20'],
      ]),
      NetIncomeLoss: units('USD', [
        ['2023-01-29', '2023-11-11', 39, Q3!, 2023, '10-Q', '2023-12-10'],
        ['2023-01-29', '2024-02-03', 50, K24!, 2023, '10-K', '2024-03-20'],
        ['2023-01-29', '2024-02-03', 90, '0000000042-24-000009', 2023, '10-K/A', '2024-06-20'],
      ]),
    },
  },
}

/** A made-up company that reports in yuan, with a translation of its latest year into dollars, and a pay table. */
const foreign = {
  cik: '0000000043',
  entityName: 'Foreign Ltd',
  facts: {
    'us-gaap': {
      Revenues: {
        units: {
          ...units('CNY', [
            ['2023-01-01', '2023-12-31', 710, '0000000043-25-000001', 2024, '20-F', '2025-04-01'],
            ['2024-01-01', '2024-12-31', 720, '0000000043-25-000001', 2024, '20-F', '2025-04-01'],
          ]).units,
          ...units('USD', [['2024-01-01', '2024-12-31', 100, '0000000043-25-000001', 2024, '20-F', '2025-04-01']])
            .units,
        },
      },
      NetIncomeLoss: units('CNY', [
        ['2023-01-01', '2023-12-31', 71, '0000000043-25-000001', 2024, '20-F', '2025-04-01'],
        ['2024-01-01', '2024-12-31', 72, '0000000043-25-000001', 2024, '20-F', '2025-04-01'],
        ['2024-01-01', '2024-12-31', 73, '0000000043-25-000005', 2024, 'DEF 14A', '2025-06-01'],
      ]),
    },
  },
}
