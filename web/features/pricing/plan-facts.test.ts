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
const defaults = { freeRequests: 1000, proRequests: 10_000, proPriceCents: 1900 }

test('the defaults apply until the catalog is known, if it is the default one, and if it lacks a plan', () => {
  for (const plans of [null, [free, plan({}), payg], [free, payg], [plan({})], []])
    expect(planFacts(plans, defaults)).toEqual({ ...defaults, replaced: false })
})

test('a catalog that differs in any number replaces all of them', () => {
  expect(planFacts([free, plan({ price: 2900 })], defaults)).toEqual({
    freeRequests: 1000,
    proRequests: 100_000,
    proPriceCents: 2900,
    replaced: true,
  })
  expect(planFacts([plan({ ...free, credits: 50 }), plan({})], defaults).freeRequests).toBe(50)
})

test('Pro comes before other paid plans; inactive plans and pay-as-you-go are never used', () => {
  const team = plan({ name: 'Team', price: 9900, credits: 7 })
  expect(planFacts([free, payg, team, plan({ credits: 5 })], defaults).proRequests).toBe(5)
  expect(planFacts([free, payg, team, plan({ credits: 5, active: false })], defaults).proRequests).toBe(7)
})
