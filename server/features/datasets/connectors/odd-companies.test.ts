import { describe, expect, test } from 'vitest'
import { runMarketTool } from '../../market-data/testing/demo-market.ts'
import { company } from './testing/made-up-company.ts'
import { servedCompanies } from './testing/served-companies.ts'

/** Made-up companies whose facts are as filers and their software really write them. */

/** Changed its fiscal year from December to June in 2020: six months between, reported on Form 10-KT. */
const moved = company(50, {
  Revenues: [
    ['2018-01-01', '2018-12-31', 100, '19-000001', '10-K', '2019-03-01', 2018],
    ['2019-01-01', '2019-12-31', 110, '20-000001', '10-K', '2020-03-01', 2019],
    ['2018-01-01', '2018-12-31', 100, '20-000001', '10-K', '2020-03-01', 2019],
    ['2020-01-01', '2020-06-30', 60, '20-000002', '10-KT', '2020-09-01', 2020],
    ['2019-01-01', '2019-12-31', 110, '20-000002', '10-KT', '2020-09-01', 2020],
    ['2020-07-01', '2020-09-30', 31, '20-000003', '10-Q', '2020-11-10', 2021],
    ['2020-07-01', '2020-12-31', 64, '21-000001', '10-Q', '2021-02-10', 2021],
    ['2020-10-01', '2020-12-31', 33, '21-000001', '10-Q', '2021-02-10', 2021],
    ['2020-07-01', '2021-06-30', 130, '21-000002', '10-K', '2021-09-01', 2021],
    ['2021-07-01', '2022-06-30', 140, '22-000001', '10-K', '2022-09-01', 2022],
  ],
})

/** Listed this year: no annual report yet. */
const young = company(51, {
  Revenues: [
    ['2026-01-01', '2026-03-31', 10, '26-000001', '10-Q', '2026-05-10', 2026],
    ['2025-01-01', '2025-03-31', 7, '26-000001', '10-Q', '2026-05-10', 2026],
    ['2026-04-01', '2026-06-30', 12, '26-000002', '10-Q', '2026-08-10', 2026],
    ['2026-01-01', '2026-06-30', 22, '26-000002', '10-Q', '2026-08-10', 2026],
  ],
  NetCashProvidedByUsedInOperatingActivities: [
    ['2026-01-01', '2026-03-31', -4, '26-000001', '10-Q', '2026-05-10', 2026],
    ['2026-01-01', '2026-06-30', -9, '26-000002', '10-Q', '2026-08-10', 2026],
  ],
})

/** Units in other spellings, no fiscal year or period, periods that are not over, a value twice, and one that is none. */
const careless = company(52, {
  Revenues: {
    usd: [
      ['2023-01-01', '2023-12-31', 500, '24-000001', '10-K', '2024-03-01'],
      ['2022-01-01', '2022-12-31', 480, '24-000001', '10-K', '2024-03-01'],
      ['2023-01-01', '2201-12-31', 500, '24-000001', '10-K', '2024-03-01'],
      ['2200-01-01', '2200-12-31', 999, '24-000001', '10-K', '2024-03-01'],
      ['2023-12-31', '2023-01-01', 500, '24-000001', '10-K', '2024-03-01'],
    ],
  },
  NetIncomeLoss: [
    ['2023-01-01', '2023-12-31', -70, '24-000001', '10-K', '2024-03-01'],
    ['2023-01-01', '2023-12-31', -70, '24-000001', '10-K', '2024-03-01'],
    ['2022-01-01', '2022-12-31', null, '24-000001', '10-K', '2024-03-01'],
  ],
  EarningsPerShareDiluted: {
    'USD / Share': [['2023-01-01', '2023-12-31', -0.35, '24-000001', '10-K', '2024-03-01']],
  },
  WeightedAverageNumberOfDilutedSharesOutstanding: {
    Shares: [['2023-01-01', '2023-12-31', 200, '24-000001', '10-K', '2024-03-01']],
  },
  StockholdersEquity: [
    [null, '2023-12-31', -12, '24-000001', '10-K', '2024-03-01'],
    [null, '2022-12-31', 58, '24-000001', '10-K', '2024-03-01'],
  ],
})

/** Files only its cover page as data. */
const cover = company(
  53,
  {
    EntityCommonStockSharesOutstanding: { shares: [[null, '2024-02-01', 9, '24-000001', '10-K', '2024-03-01', 2023]] },
  },
  'dei',
)

/** Reported in dollars until 2022, in euros since, and translates the last year; half-years on Form 6-K. */
const european = company(
  55,
  {
    Revenue: {
      USD: [
        ['2021-01-01', '2021-12-31', 90, '22-000001', '20-F', '2022-04-01', 2021],
        ['2024-01-01', '2024-12-31', 131, '25-000001', '20-F', '2025-04-01', 2024],
      ],
      EUR: [
        ['2023-01-01', '2023-12-31', 115, '24-000001', '20-F', '2024-04-01', 2023],
        ['2024-01-01', '2024-12-31', 121, '25-000001', '20-F', '2025-04-01', 2024],
        ['2025-01-01', '2025-06-30', 63, '25-000002', '6-K', '2025-08-20', 2025],
      ],
    },
    Assets: { EUR: [[null, '2024-12-31', 300, '25-000001', '20-F', '2025-04-01', 2024]] },
  },
  'ifrs-full',
)

/** A first version in thousands by mistake, put right by an amendment; the same day another report quotes the old value. */
const amended = company(56, {
  Revenues: [
    ['2023-01-01', '2023-12-31', 7_300, '24-000001', '10-K', '2024-03-01', 2023],
    ['2023-01-01', '2023-12-31', 7_300_000, '24-000002', '10-K/A', '2024-03-01', 2023],
    ['2023-01-01', '2023-12-31', 5, '24-000003', 'S-1', '2024-05-01', 2023],
  ],
})

const whole = { 50: moved, 51: young, 52: careless, 53: cover, 55: european, 56: amended }
const texts = Object.fromEntries(Object.entries(whole).map(([cik, facts]) => [cik, JSON.stringify(facts)]))
// A list of facts that is cut in the middle must not take the other companies along.
const cut = { 57: JSON.stringify(moved).slice(0, 900) }
const { market, ask, reasons } = await servedCompanies({ ...texts, ...cut }, ['54'])

test('what a company does not have, or sends cut, is reported, and the others are published', () => {
  const told = reasons.join('\n')
  expect(told).toContain('facts-0000000054: the source does not have it')
  // Its facts are published without a list of filings, so nothing is missing.
  expect(told).not.toContain('filings-')
  expect(told).toMatch(/facts-0000000057: the answer is not JSON/)
  expect(told).toContain('CIK0000000053: none of its filings has statements as data')
})

describe('a fiscal year that moved', () => {
  test('years before and after keep the names that the company gives them; the months between are no year', async () => {
    expect((await ask(50, ['revenue'])).rows).toEqual([
      ['2022-06-30', 2022, 140],
      ['2021-06-30', 2021, 130],
      ['2019-12-31', 2019, 110],
      ['2018-12-31', 2018, 100],
    ])
  })

  test('quarters of the first new year are its own, before and after its annual report', async () => {
    const quarterly = { period: 'quarterly', as_of: '2020-12-01' }
    expect((await ask(50, ['revenue'], quarterly)).rows).toEqual([['2020-09-30', 2021, 1, 31]])
    const later = await ask(50, ['revenue'], { period: 'quarterly' })
    expect(later.rows.filter(([, year]) => year === 2021)).toEqual([
      ['2020-12-31', 2021, 2, 33],
      ['2020-09-30', 2021, 1, 31],
    ])
  })
})

test('a company without an annual report has quarters, and cash flows of each', async () => {
  const fields = ['revenue', 'operating_cash_flow']
  const { rows } = await ask(51, fields, { period: 'quarterly' })
  expect(rows).toEqual([
    ['2026-06-30', 2026, 2, 12, -5],
    ['2026-03-31', 2026, 1, 10, -4],
  ])
  expect((await ask(51, fields)).rows).toEqual([])
})

test('other spellings of units, losses, and facts that cannot be', async () => {
  const { rows, meta } = await ask(52, ['revenue', 'net_income', 'eps', 'shares_diluted', 'total_equity'])
  expect(rows).toEqual([
    ['2023-12-31', 2023, 500, -70, -0.35, 200, -12],
    ['2022-12-31', 2022, 480, null, null, null, 58],
  ])
  expect(meta).toMatchObject({ currency: 'USD', available: { periods: 2 } })
  const ratios = await ask(52, ['profit_margin', 'return_on_equity'])
  // No return on equity that is negative.
  expect(ratios.rows[0]).toEqual(['2023-12-31', 2023, -14, null])
})

test('a company that changed its currency is shown in the one it has now, without the translation', async () => {
  const { rows, meta } = await ask(55, ['revenue', 'total_assets'])
  expect(rows).toEqual([
    ['2024-12-31', 2024, 121, 300],
    ['2023-12-31', 2023, 115, null],
  ])
  expect(meta.currency).toBe('EUR')
  expect((await ask(55, ['revenue'], { as_of: '2022-12-31' })).rows).toEqual([['2021-12-31', 2021, 90]])
})

test('of two reports of one day the later number counts, and a prospectus does not', async () => {
  const { rows, meta } = await ask(56, ['revenue'])
  expect(rows).toEqual([['2023-12-31', 2023, 7_300_000]])
  expect(meta).toMatchObject({
    filings: { '2023-12-31': { form: '10-K/A', accession: '0000000056-24-000002' } },
    restated: { '2023-12-31': ['revenue'] },
  })
})

test('screens run over them', async () => {
  const { rows } = await runMarketTool(market, 'screen_stocks', {
    filters: [{ field: 'profit_margin', op: 'lt', value: 0 }],
    columns: ['symbol', 'fiscal_year', 'net_income'],
  })
  expect(rows).toEqual([['CIK0000000052', 2023, -70]])
})
