import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crossRate } from '../series/rates.ts'
import { loadDemoMarket, runMarketTool } from '../testing/demo-market.ts'
import { multiply } from './convert-currency.ts'

const market = await loadDemoMarket()

describe('convert_currency', () => {
  const convert = (input: Record<string, unknown>) => runMarketTool(market, 'convert_currency', input)

  test('returns decimal text, the rate, and its date', async () => {
    const { rows } = await convert({ amount: '100', from: 'eur', to: 'USD', date: '2025-01-15' })
    expect(rows).toEqual([['100', 'EUR', '104.09', 'USD', 1.040854713, '2024-12-31', 'direct']])
    const yen = await convert({ amount: '100', from: 'EUR', to: 'JPY', date: '2024-12-31' })
    expect(yen.rows[0]?.[2]).toMatch(/^\d+$/)
    expect(yen.rows[0]?.[6]).toBe('cross')
  })

  test.each([
    ['0.005', 1, 2, '0.01'],
    ['2.675', 1, 2, '2.68'],
    ['1.005', 100, 2, '100.50'],
    ['999999999999999.99', 1, 2, '999999999999999.99'],
    ['3', 0.1, 0, '0'],
    ['5', 0.1, 0, '1'],
    ['0', 178.9, 0, '0'],
  ])('%s x %d to %i decimals is %s: rounded half up, without binary noise', (amount, rate, digits, result) => {
    expect(multiply(amount, rate, digits)).toBe(result)
  })

  test('every cross rate is the quotient of its two legs, and back is the inverse', () => {
    const rates = market.rates.find(({ base }) => base === 'USD')!
    const codes = [rates.base, ...rates.currencies.keys()]
    const day = rates.currencies.get('EUR')!.times.at(-1)!
    fc.assert(
      fc.property(fc.constantFrom(...codes), fc.constantFrom(...codes), fc.constantFrom(...codes), (a, b, c) => {
        const rate = (from: string, to: string) => crossRate(rates, from, to, day)
        const [ab, bc, ac, ba] = [rate(a, b), rate(b, c), rate(a, c), rate(b, a)]
        fc.pre(ab !== null && bc !== null && ac !== null && new Set([ab.day, bc.day, ac.day]).size === 1)
        expect((ab!.rate * bc!.rate) / ac!.rate).toBeCloseTo(1, 9)
        expect(ab!.rate * ba!.rate).toBeCloseTo(1, 12)
      }),
    )
  })

  test.each([
    [{ amount: '1e9', from: 'EUR', to: 'USD' }, /decimal number as text/],
    [{ amount: '-5', from: 'EUR', to: 'USD' }, /decimal number as text/],
    [{ amount: '5', from: 'EURO', to: 'USD' }, /No rates are available for EURO/],
    [
      { amount: '5', from: 'EUR', to: 'USD', date: '1999-01-03' },
      /on or before 1999-01-03; the first is of 1999-01-04/,
    ],
  ])('%j is refused', async (input, message) => {
    await expect(convert(input)).rejects.toThrow(message)
  })
})

describe('get_economic_series', () => {
  const series = (input: Record<string, unknown>) => runMarketTool(market, 'get_economic_series', input)
  const of2015 = { series_id: 'US.CPI', from: '2015-12-01', to: '2015-12-31' }

  test('US CPI is the index of the Bureau of Labor Statistics, in level, change, percent, year over year and log', async () => {
    // Published: 234.812 (12/2014), 237.336 (11/2015), 236.525 (12/2015).
    const values = await Promise.all(
      ['level', 'change', 'pct', 'yoy', 'log'].map(async (units) => (await series({ ...of2015, units })).rows[0]?.[1]),
    )
    expect(values[0]).toBe(236.525)
    expect(values[1]).toBeCloseTo(-0.811, 6)
    expect(values[2]).toBeCloseTo(100 * (236.525 / 237.336 - 1), 5)
    expect(values[3]).toBeCloseTo(100 * (236.525 / 234.812 - 1), 5)
    expect(values[4]).toBeCloseTo(Math.log(236.525), 6)
  })

  test('quarters and years are built only from complete periods, by mean, sum or last', async () => {
    const year = { series_id: 'US.CPI', from: '2015-01-01', to: '2015-12-31' }
    const mean = await series({ ...year, frequency: 'quarterly' })
    // 233.707, 234.722, 236.119 in January to March 2015.
    expect(mean.rows[0]).toEqual(['2015-01-01', 234.849333])
    const last = await series({ ...year, frequency: 'annual', aggregate: 'last' })
    expect(last.rows).toEqual([['2015-01-01', 236.525]])
    const all = await series({ series_id: 'US.CPI', frequency: 'annual', range: 'max', limit: 500 })
    expect(all.rows.at(-1)?.[0]).toBe('2024-01-01')
  })

  test('a month that was not published is absent, and the answer says why', async () => {
    const { rows, meta } = await series({ series_id: 'cpi', from: '2025-09-01', to: '2025-12-31' })
    expect(rows.map(([date]) => date)).toEqual(['2025-09-01', '2025-11-01', '2025-12-01'])
    expect(meta.warnings).toEqual(['October 2025 is absent: the Bureau published no index for that month.'])
    const change = await series({ series_id: 'cpi', from: '2025-09-01', to: '2025-12-31', units: 'change' })
    expect(change.rows.map(([date]) => date)).toEqual(['2025-09-01', '2025-12-01'])
  })

  test.each([
    ['OIL.WTI', '2026-08-18', 86.48, 'US dollars per barrel'],
    ['brent', '2026-08-18', 95.29, 'US dollars per barrel'],
    ['GAS.HENRYHUB', '2026-08-18', 2.82, 'US dollars per million Btu'],
    ['GOLD', '2026-06-01', 4228, 'US dollars per troy ounce'],
    ['US.CPI', '2026-05-01', 335.123, 'Index, 1982-84 = 100'],
    ['US.RATE10Y', '2026-06-01', 4.47, 'Percent'],
    ['US.SHILLER.PRICE', '2026-06-01', 7450.03, 'Index points'],
    // One dollar costs less than one euro and less than one pound: units of the currency per dollar.
    ['USD/EUR', '2026-06-01', 0.8684, 'EUR per USD'],
    ['FX.USDGBP', '2026-06-01', 0.7497, 'GBP per USD'],
  ])('%s ends on %s at %d (%s)', async (series_id, date, value, unit) => {
    const { rows, meta } = await series({ series_id, from: date })
    expect(rows).toEqual([[date, value]])
    expect(meta).toMatchObject({ as_of: date, unit })
  })

  test('0.0 in the S&P 500 table means not published: the series ends, and the answer says so', async () => {
    const { rows, meta } = await series({ series_id: 'US.SHILLER.DIVIDEND', range: '1y' })
    expect(rows.at(-1)).toEqual(['2023-06-01', 68.71])
    expect(meta.warnings).toEqual(['The source has not published later months yet.'])
    expect((await series({ series_id: 'US.SHILLER.PRICE', range: '1y' })).meta.warnings).toEqual([])
  })

  test('months of a daily series are counted back from its last observation', async () => {
    const days = (await series({ series_id: 'OIL.WTI', range: '1mo' })).rows
    expect([days[0]?.[0], days.at(-1)?.[0]]).toEqual(['2026-07-20', '2026-08-18'])
  })

  test('a note about old values is told only with them', async () => {
    const told = async (from: string) => (await series({ series_id: 'OIL.WTI', from, limit: 1 })).meta.warnings
    expect(await told('2020-04-20')).toEqual(
      expect.arrayContaining(['The price of WTI was negative on April 20, 2020.']),
    )
    expect(await told('2026-08-18')).toEqual([])
    expect((await series({ series_id: 'OIL.WTI', from: '2020-04-20', to: '2020-04-20' })).rows).toEqual([
      ['2020-04-20', -36.98],
    ])
  })

  test('yoy of the first year is omitted, not null', async () => {
    const { rows } = await series({ series_id: 'US.CPI', units: 'yoy', range: 'max', limit: 5000 })
    expect(rows[0]?.[0]).toBe('1914-01-01')
    expect(rows.every(([, value]) => Number.isFinite(value))).toBe(true)
  })

  test.each([
    [{ series_id: 'CPI.US' }, /Did you mean .*US\.CPI/],
    [{ series_id: 'US.CPI', from: '2015-01-01', range: '5y' }, /from or range/],
    [{ series_id: 'x'.repeat(81) }, /80/],
  ])('%j is refused with a way forward', async (input, message) => {
    await expect(series(input)).rejects.toThrow(message)
  })
})

test('gaps of a daily series are named, the longest three', async () => {
  const read = (input: Record<string, unknown>) =>
    runMarketTool(market, 'get_economic_series', { series_id: 'US.TREASURY.10Y', limit: 5000, ...input })
  const { meta } = await read({ range: 'max' })
  expect(meta.warnings.find((text) => text.startsWith('No observations between'))).toBe(
    'No observations between 1990-03-28 and 2001-10-19, 2001-12-31 and 2008-01-02, 2008-12-31 and 2021-10-07, and in 2 shorter gaps.',
  )
  expect((await read({ from: '2008-01-01', to: '2008-12-31' })).meta.warnings).not.toContainEqual(
    expect.stringContaining('No observations'),
  )
})

test('a rate comes from the dataset with the last one on or before the day', async () => {
  const convert = (date?: string) =>
    runMarketTool(market, 'convert_currency', { amount: '100', from: 'EUR', to: 'USD', ...(date && { date }) })
  const april = await convert('2026-04-13')
  expect(april.rows[0]?.slice(2, 6)).toEqual(['116.84', 'USD', 1.1684, '2026-04-13'])
  expect(april.meta.source).toBe('www.ecb.europa.eu eurofxref-hist.csv')
  // Easter Monday is no day of the ECB; its last rate is older than that of the other dataset.
  expect((await convert('2026-04-06')).rows[0]?.slice(4, 6)).toEqual([expect.any(Number), '2026-04-05'])
  expect((await convert('2026-09-30')).rows[0]?.[5]).toBe('2026-09-29')
  const kuna = await runMarketTool(market, 'convert_currency', {
    amount: '1',
    from: 'EUR',
    to: 'HRK',
    date: '2014-01-31',
  })
  expect(kuna.rows[0]?.slice(4, 6)).toEqual([7.6515, '2014-01-31'])
  await expect(runMarketTool(market, 'convert_currency', { amount: '1', from: 'HRK', to: 'XAU' })).rejects.toThrow(
    'No dataset has rates for all of HRK, XAU.',
  )
  const history = await runMarketTool(market, 'get_fx_rates', {
    base: 'EUR',
    quotes: ['USD'],
    from: '2026-04-01',
    to: '2026-04-30',
  })
  expect(history.rows.at(-1)).toEqual(['2026-04-13', 'EUR', 'USD', 1.1684, 'direct'])
})
