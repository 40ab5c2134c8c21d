import { expect, test } from 'vitest'
import { priceText, subscriptionPrice, unitCents } from './plan-price.ts'

const price = (decimal: string | null) => ({ id: 'price', unit_amount_decimal: decimal })

test('the unit price is the decimal one, else a price above 0, else 0', () => {
  expect(unitCents({ price: 5, default_price: price('0.01') })).toBe(0.01)
  expect(unitCents({ price: 5, default_price: price(null) })).toBe(5)
  expect(unitCents({ price: 0, default_price: price(null) })).toBe(0)
  expect(unitCents({ price: 5, default_price: price('abc') })).toBe(5)
})

test('plans show an amount per interval, pay-as-you-go an amount per 100 requests', () => {
  const plan = { price: 1900, currency: 'usd', interval: 'month', metadata: {}, default_price: price('1900') } as const
  expect(priceText(plan)).toEqual({ amount: '$19', per: 'monthly' })
  expect(priceText({ ...plan, price: 0, metadata: { type: 'payg' }, default_price: price('0.01') })).toEqual({
    amount: '$0.01',
    per: 'per 100 requests',
  })
})

test("a subscription costs its price for an interval, a metered one its unit's price for 100 requests", () => {
  const named = { id: 'price', nickname: null, currency: 'usd', product: 'prod' }
  const plan = { ...named, name: 'Pro', amount: 18_240, interval: 'year', credits_included: 1 } as const
  const holding = (amount: number | null, decimal: string, interval: 'month' | 'year') => ({
    currency: 'usd',
    plan: { ...plan, interval },
    items: {
      data: [{ price: { ...named, unit_amount: amount, unit_amount_decimal: decimal, recurring: { interval } } }],
    },
  })
  expect(subscriptionPrice(holding(18_240, '18240', 'year'))).toBe('$182.40 yearly')
  expect(subscriptionPrice(holding(null, '0.01', 'month'))).toBe('$0.01 per 100 requests, monthly')
  expect(subscriptionPrice(holding(null, '0.025', 'month'))).toBe('$0.025 per 100 requests, monthly')
})
