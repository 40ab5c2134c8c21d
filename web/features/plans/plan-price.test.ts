import { expect, test } from 'vitest'
import { changesInPortal, priceText, subscriptionPrice, unitCents } from './plan-price.ts'

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

const paid = { price: 1900, metadata: {}, tax_behavior: undefined }
const item = (unit_amount: number | null) => ({
  items: {
    data: [
      {
        price: {
          id: 'price',
          nickname: null,
          currency: 'usd',
          product: 'prod',
          unit_amount,
          unit_amount_decimal: '1900',
          recurring: { interval: 'month' as const },
        },
      },
    ],
  },
})
const fixed = item(1900)

test.each([
  ['between fixed prices without taxes', paid, fixed, true],
  ['to the free plan', { ...paid, price: 0 }, fixed, false],
  ['to pay-as-you-go', { ...paid, metadata: { type: 'payg' } }, fixed, false],
  ['from pay-as-you-go', paid, item(null), false],
  ['with Stripe Tax, to a price of any kind', { ...paid, tax_behavior: 'inclusive' as const }, fixed, true],
  [
    'with rates, to a price of the same kind',
    { ...paid, tax_behavior: 'inclusive' as const },
    { ...fixed, fixed_tax_behavior: 'inclusive' as const },
    true,
  ],
  [
    'with rates, from tax included to tax on top',
    { ...paid, tax_behavior: 'exclusive' as const },
    { ...fixed, fixed_tax_behavior: 'inclusive' as const },
    false,
  ],
  [
    'with rates, from tax on top to tax included',
    { ...paid, tax_behavior: 'inclusive' as const },
    { ...fixed, fixed_tax_behavior: 'exclusive' as const },
    false,
  ],
])('a plan changes in the portal: %s', (_case, plan, held, expected) => {
  expect(changesInPortal(plan, held)).toBe(expected)
})
