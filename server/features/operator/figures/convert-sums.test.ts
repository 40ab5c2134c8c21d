import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDay } from '../../market-data/dates.ts'
import type { Rates } from '../../market-data/series/rates.ts'
import { convertSums } from './convert-sums.ts'

type Series = Record<string, [day: string, rate: number][]>

const ratesOf = (publisher: string, series: Series): Rates =>
  ({
    manifest: { sources: [{ publisher }] },
    base: 'EUR',
    datasetVersion: 'v',
    currencies: new Map(
      Object.entries(series).map(([currency, points]) => [
        currency,
        {
          times: Int32Array.from(points, ([day]) => parseDay(day)),
          rates: Float64Array.from(points, ([, rate]) => rate),
        },
      ]),
    ),
  }) as unknown as Rates

const ecb = ratesOf('European Central Bank', {
  USD: [
    ['2026-11-24', 1.2],
    ['2026-11-26', 1.25],
  ],
  JPY: [['2026-11-25', 160]],
  KWD: [['2026-11-26', 0.36]],
})
const other = ratesOf('Somebody else', { USD: [['2026-11-27', 9]], GBP: [['2026-11-27', 9]] })
const market = { rates: [other, ecb] }

test('sums become one by the last rates of the ECB, each with its day', () => {
  const sums = [
    { currency: 'usd', cents: 12_500 },
    { currency: 'eur', cents: 10_000 },
    { currency: 'jpy', cents: 16_000 },
    { currency: 'kwd', cents: 36_000 },
  ]
  // 100 + 100 + 100 + 100 euros.
  expect(convertSums(market, sums, 'usd', '2026-11-27')).toEqual({
    currency: 'usd',
    cents: 50_000,
    rates: [
      { currency: 'usd', rate: 1.25, day: '2026-11-26' },
      { currency: 'jpy', rate: 160, day: '2026-11-25' },
      { currency: 'kwd', rate: 0.36, day: '2026-11-26' },
    ],
  })
  expect(convertSums(market, sums, 'jpy', '2026-11-27')?.cents).toBe(64_000)
})

test('without a rate for each, and with one currency, there is no conversion', () => {
  const usd = { currency: 'usd', cents: 100 }
  expect(convertSums(market, [usd, { currency: 'gbp', cents: 1 }], 'usd', '2026-11-27')).toBeNull()
  expect(convertSums(market, [usd, { currency: 'jpy', cents: 1 }], 'usd', '2026-11-24')).toBeNull()
  expect(convertSums({ rates: [] }, [usd], 'eur', '2026-11-27')).toBeNull()
  expect(convertSums(market, [usd], 'usd', '2026-11-27')).toBeNull()
})

test('there and back is the same amount, to the cent', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000_000 }), (cents) => {
      const yen = convertSums(market, [{ currency: 'eur', cents }], 'kwd', '2026-11-27')!
      const back = convertSums(market, [{ currency: 'kwd', cents: yen.cents }], 'eur', '2026-11-27')!
      expect(Math.abs(back.cents - cents)).toBeLessThanOrEqual(1)
    }),
  )
})
