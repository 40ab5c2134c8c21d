import { expect, test } from 'vitest'
import { planFeatures, planTerms } from './plan-terms.ts'

const plan = {
  type: 'paid' as const,
  currency: 'usd',
  interval: 'month' as const,
  price: 1900,
  metadata: {},
  default_price: { id: 'p', unit_amount_decimal: '1900' },
  marketing_features: [{ name: 'Priority support' }],
}
const payg = {
  ...plan,
  price: 0,
  metadata: { type: 'payg' },
  default_price: { id: 'p', unit_amount_decimal: '0.02' },
  marketing_features: [{ name: '$0.02 per 100 requests' }, { name: '$1.00/month minimum' }, { name: 'REST and MCP' }],
}

test('the terms are those of the plan', () => {
  expect(planTerms(plan)).toBe('')
  expect(planTerms({ ...plan, metadata: { trial_days: '7' } })).toBe('7-day free trial')
  expect(planTerms({ ...plan, metadata: { trial_days: 'soon' } })).toBe('')
  expect(planTerms(payg)).toBe('$1.00/month minimum')
})

test('a card does not repeat its price', () => {
  expect(planFeatures(plan)).toEqual(['Priority support'])
  expect(planFeatures(payg)).toEqual(['Monthly billing cycle', 'REST and MCP', 'Spend cap you set'])
})
