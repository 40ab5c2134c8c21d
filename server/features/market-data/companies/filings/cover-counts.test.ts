import { expect, test } from 'vitest'
import { parseDay } from '../../dates.ts'
import { loadDemoMarket, runMarketTool } from '../../testing/demo-market.ts'
import type { Fact } from './filed-facts.ts'
import { filedStatements } from './filed-statements.ts'

const COVER = 'dei:EntityCommonStockSharesOutstanding'
const SHEET = 'us-gaap:CommonStockSharesOutstanding'

const market = await loadDemoMarket()

/** Figures of the recorded filings. */
test.each([
  ['AAPL', '2025-09-27', {}, 14_776_353_000, COVER, '10-K', '2025-10-31'],
  ['AAPL', '2024-09-28', {}, 15_115_823_000, COVER, '10-K', '2024-11-01'],
  ['AAPL', '2025-12-27', { period: 'quarterly' }, 14_681_140_000, COVER, '10-Q', '2026-01-30'],
  ['AAPL', '2009-09-26', { as_of: '2010-01-24' }, 900_678_473, COVER, '10-K', '2009-10-27'],
  ['AAPL', '2009-09-26', {}, 900_678_473, COVER, '10-K/A', '2010-01-25'],
  ['NVDA', '2026-01-25', {}, 24_300_000_000, COVER, '10-K', '2026-02-25'],
  // Split ten for one in June 2024.
  ['NVDA', '2024-01-28', { as_of: '2024-12-31' }, 2_500_000_000, COVER, '10-K', '2024-02-21'],
  ['NVDA', '2024-01-28', {}, 24_643_000_000, SHEET, '10-K', '2025-02-26'],
  // Only rounded in the next report.
  ['NVDA', '2015-01-25', {}, 549_840_211, COVER, '10-K', '2015-03-12'],
  // Three classes of shares, none on the cover as one number.
  ['GOOGL', '2025-12-31', {}, 12_088_000_000, SHEET, '10-Q', '2026-04-30'],
  ['LPA', '2024-12-31', {}, 31_668_601, COVER, '20-F', '2025-04-02'],
])('shares outstanding of %s for %s, %o', async (symbol, end, more, value, tag, form, filed) => {
  const { columns, rows } = await runMarketTool(market, 'get_financials', {
    symbol,
    fields: ['shares_outstanding'],
    orient: 'values',
    limit: 20,
    ...more,
  })
  const found = rows.find((row) => row[columns.indexOf('period_end')] === end) ?? []
  const named = Object.fromEntries(columns.map((name, at) => [name, found[at]]))
  expect(named).toMatchObject({ value, tag, form, filed })
})

const fact = (
  tag: string,
  start: string | null,
  end: string,
  value: number,
  number = 1,
  filed = '2024-02-20',
): Fact => ({
  tag,
  unit: tag === 'us-gaap:Revenues' ? 'USD' : 'shares',
  start: start === null ? null : parseDay(start),
  end: parseDay(end),
  value,
  filing: { accession: `0000000001-24-00000${number}`, form: '10-K', filed: parseDay(filed), fiscalYear: 2023 },
})
const year = (number = 1, filed = '2024-02-20') =>
  fact('us-gaap:Revenues', '2023-01-01', '2023-12-31', 100, number, filed)
const shares = (...facts: Fact[]) => {
  const { statements } = filedStatements({ cik: '1', name: 'One', facts }, 'annual', null)
  const found = statements[0]?.values.get('shares_outstanding')
  return found ? [found.value, found.tag, found.restated] : null
}

test('two different counts on one cover page are not added up, and none of them is chosen', () => {
  const classes = [fact(COVER, null, '2024-02-01', 70), fact(COVER, null, '2024-02-01', 30)]
  expect(shares(year(), ...classes)).toBeNull()
  expect(shares(year(), ...classes, fact(SHEET, null, '2023-12-31', 101))).toEqual([101, SHEET, false])
  expect(shares(year(), classes[0]!, classes[0]!)).toEqual([70, COVER, false])
})

test('a count on a later day by an amendment is no restatement, a corrected one is', () => {
  const first = fact(COVER, null, '2024-02-01', 70)
  const amended = (end: string, value: number) => [
    year(2, '2024-06-01'),
    fact(COVER, null, end, value, 2, '2024-06-01'),
  ]
  expect(shares(year(), first, ...amended('2024-05-20', 66))).toEqual([70, COVER, false])
  expect(shares(year(), first, ...amended('2024-02-01', 71))).toEqual([71, COVER, true])
})

test('no count of 0, of a day before the end of the period, or of a report without statements', () => {
  expect(shares(year(), fact(COVER, null, '2024-02-01', 0))).toBeNull()
  expect(shares(year(), fact(COVER, null, '2023-02-01', 70))).toBeNull()
  expect(shares(year(), fact(COVER, null, '2024-02-01', 70, 2))).toBeNull()
})
