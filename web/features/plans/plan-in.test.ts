import { expect, test } from 'vitest'
import { currenciesOf, planIn } from './plan-in.ts'

const plan = {
  name: 'Pro',
  type: 'paid' as const,
  currency: 'usd',
  interval: 'month' as const,
  price: 1900,
  metadata: {},
  default_price: { id: 'p', unit_amount_decimal: '1900' },
  marketing_features: [{ name: 'Priority support' }],
  annual: { priceId: 'y', price: 18_240 },
  prices: {
    eur: { price: 1700, unit_amount_decimal: '1700', annual: 16_320 },
    jpy: { price: 2900, unit_amount_decimal: '2900' },
  },
}
const free = { ...plan, type: 'free' as const, price: 0, annual: undefined, prices: undefined }
const payg = {
  ...plan,
  price: 0,
  metadata: { type: 'payg', minimum_jpy: '150' },
  default_price: { id: 'p', unit_amount_decimal: '0.01' },
  marketing_features: [{ name: '$0.01 per 100 requests' }, { name: '$1.00/month minimum' }, { name: 'REST and MCP' }],
  annual: undefined,
  prices: { jpy: { price: 0, unit_amount_decimal: '0.02' } },
}

test('a plan in another currency costs what it costs there, also by the year if that is sold', () => {
  expect(planIn(plan, 'usd')).toBe(plan)
  expect(planIn(plan, 'eur')).toMatchObject({ currency: 'eur', price: 1700, annual: { priceId: 'y', price: 16_320 } })
  expect(planIn(plan, 'jpy')).toMatchObject({
    currency: 'jpy',
    price: 2900,
    default_price: { unit_amount_decimal: '2900' },
  })
  expect(planIn(plan, 'jpy')).not.toHaveProperty('annual')
})

test('a plan without a price in a currency is not shown in it, and a free one is free everywhere', () => {
  expect(planIn(plan, 'gbp')).toBeNull()
  expect(planIn(free, 'gbp')).toMatchObject({ currency: 'gbp', price: 0 })
})

test('a card in yen does not say dollars', () => {
  expect(planIn(payg, 'jpy')?.marketing_features).toEqual([{ name: 'REST and MCP' }])
})

test('the choice is between the currencies of what costs money', () => {
  expect(currenciesOf([{ ...free, currency: 'chf' }, plan, payg])).toEqual(['usd', 'eur', 'jpy'])
  expect(currenciesOf([free])).toEqual(['usd'])
  expect(currenciesOf([])).toEqual([])
})
