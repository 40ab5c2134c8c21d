import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blackScholes, impliedVolatility, type Option } from './black-scholes.ts'
import { distribution } from './normal.ts'

const hull: Option = { type: 'call', spot: 42, strike: 40, years: 0.5, rate: 0.1, dividendYield: 0, volatility: 0.2 }

test('the example of Hull (Options, Futures and Other Derivatives)', () => {
  expect(blackScholes(hull).price).toBeCloseTo(4.759422, 6)
  expect(blackScholes({ ...hull, type: 'put' }).price).toBeCloseTo(0.808599, 6)
})

test('the normal distribution in published values and both tails', () => {
  expect(distribution(0)).toBeCloseTo(0.5, 15)
  expect(distribution(1.96)).toBeCloseTo(0.9750021048517795, 14)
  expect(distribution(-1)).toBeCloseTo(0.15865525393145707, 14)
  expect(distribution(-8) / 6.22096057427178e-16).toBeCloseTo(1, 6)
  expect(distribution(-50)).toBe(0)
  expect(distribution(50)).toBe(1)
})

const anyOption = fc.record({
  type: fc.constantFrom('call' as const, 'put' as const),
  spot: fc.double({ min: 1, max: 1000, noNaN: true }),
  strike: fc.double({ min: 1, max: 1000, noNaN: true }),
  years: fc.double({ min: 0.02, max: 5, noNaN: true }),
  rate: fc.double({ min: -0.05, max: 0.2, noNaN: true }),
  dividendYield: fc.double({ min: 0, max: 0.1, noNaN: true }),
  volatility: fc.double({ min: 0.05, max: 1.5, noNaN: true }),
})

test('call minus put is forward value (put-call parity)', () => {
  fc.assert(
    fc.property(anyOption, (option) => {
      const call = blackScholes({ ...option, type: 'call' }).price
      const put = blackScholes({ ...option, type: 'put' }).price
      const { spot, strike, years, rate, dividendYield } = option
      const forward = spot * Math.exp(-dividendYield * years) - strike * Math.exp(-rate * years)
      expect(Math.abs(call - put - forward)).toBeLessThan(1e-10 * (spot + strike))
    }),
    { numRuns: 2000 },
  )
})

describe('Greeks are the derivatives of the price, by central differences', () => {
  test.each([
    ['delta', 'spot', 1e-4],
    ['vega', 'volatility', 1e-5],
    ['rho', 'rate', 1e-5],
    ['theta', 'years', 1e-5],
  ] as const)('%s by %s', (greek, variable, step) => {
    fc.assert(
      fc.property(anyOption, (option) => {
        const h = variable === 'spot' ? option.spot * step : step
        const at = (shift: number) => blackScholes({ ...option, [variable]: option[variable] + shift }).price
        const slope = ((at(h) - at(-h)) / (2 * h)) * (greek === 'theta' ? -1 : 1)
        const scale = greek === 'delta' ? 1 : option.spot + option.strike
        expect(Math.abs(blackScholes(option)[greek] - slope)).toBeLessThan(2e-5 * scale)
      }),
      { numRuns: 1000 },
    )
  })

  test('gamma by spot', () => {
    fc.assert(
      fc.property(anyOption, (option) => {
        // Gamma's peak is about as wide as the deviation: a step that is not much smaller misses the top.
        const width = option.spot * option.volatility * Math.sqrt(option.years)
        const h = width * 1e-3
        const at = (shift: number) => blackScholes({ ...option, spot: option.spot + shift }).delta
        const slope = (at(h) - at(-h)) / (2 * h)
        expect(Math.abs(blackScholes(option).gamma - slope) * width).toBeLessThan(1e-5)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('implied volatility', () => {
  test('gives back the volatility wherever the price depends on it', () => {
    fc.assert(
      fc.property(anyOption, (option) => {
        const { price, vega } = blackScholes(option)
        fc.pre(vega > 1e-3 * option.spot)
        // Only the last digits of the price, which is a difference of two values, are lost.
        const lost = (Number.EPSILON * (option.spot + option.strike)) / vega
        const found = impliedVolatility(option, price) ?? Number.NaN
        expect(Math.abs(found - option.volatility)).toBeLessThan(1e-12 + 8 * lost)
      }),
      { numRuns: 1000 },
    )
  })

  test('is null for prices that no arbitrage allows', () => {
    expect(impliedVolatility(hull, 43)).toBeNull()
    expect(impliedVolatility(hull, 3.9)).toBeNull()
    expect(impliedVolatility({ ...hull, type: 'put' }, 39)).toBeNull()
  })
})
