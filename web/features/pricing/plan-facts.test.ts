import { expect, test } from 'vitest'
import type { Plan } from '#contract/billing.ts'
import { planFacts } from './plan-facts.ts'

const plan = (change: Partial<Plan>): Plan => ({
  id: 'p',
  productId: 'p',
  priceId: 'p',
  name: 'Pro',
  description: '',
  price: 1900,
  currency: 'usd',
  interval: 'month',
  active: true,
  type: 'paid',
  current: false,
  credits: 100_000,
  features: [],
  marketing_features: [],
  metadata: {},
  default_price: { id: 'p', unit_amount_decimal: '1900' },
  ...change,
})
const free = plan({ name: 'Free', price: 0, type: 'free', credits: 1000 })
const payg = plan({ name: 'Pay-as-you-go', price: 0, credits: 0, metadata: { type: 'payg' } })

test('the numbers of a new installation apply until the catalog is known, and if it lacks a plan', () => {
  for (const plans of [null, [free, payg], [plan({})], []])
    expect(planFacts(plans)).toEqual({ freeRequests: 1000, proRequests: 100_000, proPriceCents: 1900, currency: 'usd' })
})

test('the catalog decides every number', () => {
  expect(planFacts([free, plan({ price: 2900, credits: 10_000 })])).toEqual({
    freeRequests: 1000,
    proRequests: 10_000,
    proPriceCents: 2900,
    currency: 'usd',
  })
  expect(planFacts([plan({ ...free, credits: 50 }), plan({})]).freeRequests).toBe(50)
})

test('Pro comes before other paid plans; inactive plans and pay-as-you-go are never used', () => {
  const team = plan({ name: 'Team', price: 9900, credits: 7 })
  expect(planFacts([free, payg, team, plan({ credits: 5 })]).proRequests).toBe(5)
  expect(planFacts([free, payg, team, plan({ credits: 5, active: false })]).proRequests).toBe(7)
})
