import { describe, expect, test } from 'vitest'
import { loadDemoMarket, runMarketTool } from '../../market-data/testing/demo-market.ts'
import { company } from './testing/made-up-company.ts'
import { servedCompanies } from './testing/served-companies.ts'

/** More made-up companies: tags that are parts of others, restatements of one of two numbers, quarters without totals. */

/** Rents and sells: annual reports have both tags, quarterly reports only contracts, and the last one only the total. */
const lessor = company(60, {
  Revenues: [
    ['2023-01-01', '2023-12-31', 1000, '24-000001', '10-K', '2024-03-01', 2023],
    ['2022-01-01', '2022-12-31', 900, '23-000001', '10-K', '2023-03-01', 2022],
  ],
  RevenueFromContractWithCustomerExcludingAssessedTax: [
    ['2023-01-01', '2023-12-31', 800, '24-000001', '10-K', '2024-03-01', 2023],
    ['2023-01-01', '2023-09-30', 580, '23-000004', '10-Q', '2023-11-01', 2023],
    ['2023-07-01', '2023-09-30', 200, '23-000004', '10-Q', '2023-11-01', 2023],
    ['2023-01-01', '2023-06-30', 380, '23-000003', '10-Q', '2023-08-01', 2023],
    ['2023-04-01', '2023-06-30', 190, '23-000003', '10-Q', '2023-08-01', 2023],
    ['2023-01-01', '2023-03-31', 190, '23-000002', '10-Q', '2023-05-01', 2023],
    ['2022-01-01', '2022-12-31', 700, '23-000001', '10-K', '2023-03-01', 2022],
    ['2022-01-01', '2022-12-31', 700, '24-000001', '10-K', '2024-03-01', 2023],
  ],
})

/** The year has the owners' income, nine months only that with the minorities: they are not to be subtracted. */
const mixed = company(61, {
  NetIncomeLoss: [['2023-01-01', '2023-12-31', 90, '24-000001', '10-K', '2024-03-01', 2023]],
  ProfitLoss: [
    ['2023-01-01', '2023-09-30', 80, '23-000004', '10-Q', '2023-11-01', 2023],
    ['2023-01-01', '2023-12-31', 100, '24-000001', '10-K', '2024-03-01', 2023],
  ],
  IncomeTaxExpenseBenefit: [
    ['2023-01-01', '2023-09-30', 8, '23-000004', '10-Q', '2023-11-01', 2023],
    ['2023-01-01', '2023-12-31', 10, '24-000001', '10-K', '2024-03-01', 2023],
  ],
})

/** Equity of 2021 was restated in a later report that no longer shows the balance sheet of 2021. */
const partly = company(62, {
  Revenues: [['2021-01-01', '2021-12-31', 10, '22-000001', '10-K', '2022-03-01', 2021]],
  LiabilitiesAndStockholdersEquity: [[null, '2021-12-31', 500, '22-000001', '10-K', '2022-03-01', 2021]],
  StockholdersEquity: [
    [null, '2021-12-31', 200, '22-000001', '10-K', '2022-03-01', 2021],
    [null, '2021-12-31', 260, '24-000001', '10-K', '2024-03-01', 2023],
  ],
})

/** Reports three months only, never the months since the start of the year; then the year was restated alone. */
const single = company(63, {
  Revenues: [
    ['2023-01-01', '2023-03-31', 10, '23-000002', '10-Q', '2023-05-01', 2023],
    ['2023-04-01', '2023-06-30', 11, '23-000003', '10-Q', '2023-08-01', 2023],
    ['2023-07-01', '2023-09-30', 12, '23-000004', '10-Q', '2023-11-01', 2023],
    ['2023-01-01', '2023-12-31', 46, '24-000001', '10-K', '2024-03-01', 2023],
    ['2023-01-01', '2023-12-31', 60, '25-000001', '10-K', '2025-03-01', 2024],
    ['2024-01-01', '2024-12-31', 70, '25-000001', '10-K', '2025-03-01', 2024],
  ],
})

/** Its older reports name a year that ends in January after the year before, its newer ones after the year it ends in. */
const renamed = company(64, {
  Revenues: [
    ['2010-02-01', '2011-01-31', 1, '11-000001', '10-K', '2011-03-15', 2010],
    ['2011-02-01', '2012-01-31', 2, '12-000001', '10-K', '2012-03-15', 2011],
    ['2012-02-01', '2012-04-30', 7, '12-000002', '10-Q', '2012-06-15', 2012],
    ['2012-02-01', '2013-01-31', 3, '13-000001', '10-K', '2013-03-15', 2013],
    ['2013-02-01', '2014-01-31', 4, '14-000001', '10-K', '2014-03-15', 2014],
    ['2014-02-01', '2015-01-31', 5, '15-000001', '10-K', '2015-03-15', 2015],
  ],
})

/** Did not file for a year; quarters of the year after are of that year. */
const late = company(65, {
  Revenues: [
    ['2018-01-01', '2018-12-31', 40, '19-000001', '10-K', '2019-03-01', 2018],
    ['2020-01-01', '2020-03-31', 12, '20-000002', '10-Q', '2020-05-10', 2020],
  ],
})

/** A number twice in one report: as in the statement, and rounded in a note. */
const rounded = company(66, {
  NetIncomeLoss: [
    ['2023-01-01', '2023-12-31', 1_200_000, '24-000001', '10-K', '2024-03-01', 2023],
    ['2023-01-01', '2023-12-31', 1_234_567, '24-000001', '10-K', '2024-03-01', 2023],
  ],
})

const companies = { 60: lessor, 61: mixed, 62: partly, 63: single, 64: renamed, 65: late, 66: rounded }
const texts = Object.fromEntries(Object.entries(companies).map(([cik, facts]) => [cik, JSON.stringify(facts)]))
const { ask } = await servedCompanies(texts)
const demo = await loadDemoMarket()
const quarterly = { period: 'quarterly' }
const recorded = (symbol: string, input: Record<string, unknown>) =>
  runMarketTool(demo, 'get_financials', { symbol, orient: 'periods', limit: 20, ...input })

describe('a tag that is a part of another', () => {
  test('the total stays the total when a later report repeats only the part', async () => {
    const { rows, meta } = await ask(60, ['revenue'])
    expect(rows).toEqual([
      ['2023-12-31', 2023, 1000],
      ['2022-12-31', 2022, 900],
    ])
    expect(meta.restated).toEqual({})
  })

  test('is not subtracted from the total', async () => {
    const { rows } = await ask(60, ['revenue'], quarterly)
    // 800 less 580, as in the three quarters before; not 1000 less 580.
    expect(rows[0]).toEqual(['2023-12-31', 2023, 4, 220])
  })

  test('nor is income with minorities from income without', async () => {
    const { rows } = await ask(61, ['net_income', 'income_tax'], quarterly)
    expect(rows.find(([end]) => end === '2023-12-31')).toEqual(['2023-12-31', 2023, 4, 20, 2])
    expect((await ask(61, ['net_income'])).rows).toEqual([['2023-12-31', 2023, 90]])
  })
})

test('a difference is of numbers of one accounting', async () => {
  const { rows, meta } = await ask(62, ['total_liabilities', 'total_equity'])
  expect(rows).toEqual([['2021-12-31', 2021, 300, 260]])
  expect(meta.derived).toEqual({
    '2021-12-31': [
      'total_liabilities: liabilities_and_equity less equity_and_minorities, both as reported before a restatement',
    ],
  })
})

test('quarters that were only reported alone, and the fourth of a year that was restated alone', async () => {
  const { rows, meta } = await ask(63, ['revenue'], quarterly)
  expect(rows).toEqual([
    ['2023-12-31', 2023, 4, 13],
    ['2023-09-30', 2023, 3, 12],
    ['2023-06-30', 2023, 2, 11],
    ['2023-03-31', 2023, 1, 10],
  ])
  expect(meta.derived).toEqual({
    '2023-12-31': ['revenue: year less three quarters, both as reported before a restatement'],
  })
})

test('Apple changed a tag within fiscal 2014, and both tags had had the same numbers before', async () => {
  const { rows } = await recorded('AAPL', {
    fields: ['operating_cash_flow'],
    period: 'quarterly',
    as_of: '2014-05-01',
  })
  // Half a year of 36,208 less a quarter of 22,670.
  expect(rows[0]).toEqual(['2014-03-29', 2014, 2, 13_538_000_000])
})

test('quarters of long ago can be asked for as they are known today', async () => {
  const older = { ...quarterly, fields: ['net_income'], to: '2013-01-31', limit: 2 }
  expect((await recorded('AAPL', older)).rows).toEqual([
    ['2012-12-29', 2013, 1, 13_078_000_000],
    ['2012-09-29', 2012, 4, 8_223_000_000],
  ])
  const { rows, meta } = await recorded('AAPL', { ...older, to: '2001-01-01' })
  expect(rows).toEqual([])
  expect(meta.warnings.at(-1)).toBe(
    'No quarterly statements of AAPL end by 2001-01-01; the first ends 2008-06-28; nothing was charged.',
  )
})

describe('names of fiscal years', () => {
  test('are the same for every date', async () => {
    const now = await ask(64, ['revenue'])
    expect(now.rows).toEqual([
      ['2015-01-31', 2015, 5],
      ['2014-01-31', 2014, 4],
      ['2013-01-31', 2013, 3],
      ['2012-01-31', 2012, 2],
      ['2011-01-31', 2011, 1],
    ])
    const then = await ask(64, ['revenue'], { as_of: '2012-07-01' })
    expect(then.rows).toEqual([
      ['2012-01-31', 2012, 2],
      ['2011-01-31', 2011, 1],
    ])
    const quarters = await ask(64, ['revenue'], { ...quarterly, as_of: '2012-07-01' })
    expect(quarters.rows).toEqual([['2012-04-30', 2013, 1, 7]])
  })

  test('Nvidia calls the year to January 2012 fiscal 2012, whenever it is asked', async () => {
    for (const as_of of ['2012-06-30', '2016-06-30', '2026-05-20']) {
      const { rows } = await recorded('NVDA', { fields: ['revenue'], as_of })
      expect(rows.find(([end]) => end === '2012-01-29')).toEqual(['2012-01-29', 2012, 3_997_930_000])
    }
  })
})

test('quarters after a year without an annual report are shown', async () => {
  expect((await ask(65, ['revenue'], quarterly)).rows).toEqual([['2020-03-31', 2020, 1, 12]])
})

test('of a number that one report has twice, the one that is not rounded counts', async () => {
  expect((await ask(66, ['net_income'])).rows).toEqual([['2023-12-31', 2023, 1_234_567]])
})
