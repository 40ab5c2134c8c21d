import { expect, test } from 'vitest'
import { monthlyCents } from './monthly-cost.ts'

const pro = {
  price: 1900,
  currency: 'usd',
  credits: 100_000,
  metadata: {},
  default_price: { id: 'p', unit_amount_decimal: '1900' },
}
const payg = {
  price: 0,
  currency: 'usd',
  credits: 0,
  metadata: { type: 'payg' },
  default_price: { id: 'g', unit_amount_decimal: '0.01' },
}

test('a plan costs its price up to what it includes', () => {
  expect([1, 100_000, 100_001].map((requests) => monthlyCents(pro, requests, false))).toEqual([1900, 1900, null])
  expect(monthlyCents(pro, 100, true)).toBe(1520)
  expect(monthlyCents({ ...pro, metadata: { unlimited: 'true' } }, 10_000_000, false)).toBe(1900)
})

test('pay-as-you-go costs each request, and one dollar at least', () => {
  expect([0, 10_000, 10_100, 1_000_000].map((requests) => monthlyCents(payg, requests, false))).toEqual([
    100, 100, 101, 10_000,
  ])
})
