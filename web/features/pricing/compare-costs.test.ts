import { expect, test } from 'vitest'
import { compareCosts, evenRequests } from './compare-costs.ts'
import { fallbackPlans, type ShownPlan } from './fallback-plans.ts'
import { monthlyCents } from './monthly-cost.ts'

const [free, pro, payg] = fallbackPlans as [ShownPlan, ShownPlan, ShownPlan]

function compared(plans: readonly ShownPlan[], requests: number) {
  const costs = plans.map((plan) => ({ plan, cents: monthlyCents(plan, requests, false) }))
  const { lowest, said } = compareCosts(costs, requests)
  return [lowest?.name, said]
}

test('the cheapest plan is named, and how a fixed price compares with pay-as-you-go', () => {
  expect(compared([free, pro, payg], 500)).toEqual(['Free', 'Free costs $1.00 less than pay-as-you-go.'])
  expect(compared([free, pro, payg], 50_000)).toEqual([
    'Pay-as-you-go',
    'Pay-as-you-go costs $14.00 less than Pro for 50,000 requests.',
  ])
  expect(compared([free, pro, payg], 200_000)).toEqual([
    'Pay-as-you-go',
    'No plan with a fixed price includes that many. Pay-as-you-go has no limit but the cap that you set.',
  ])
})

test('a fixed price is the lower one from some number of requests on, if the plan includes as many', () => {
  const large = { ...pro, name: 'Large', credits: 1_000_000 }
  expect(evenRequests(large, payg)).toBe(190_000)
  expect(evenRequests(pro, payg)).toBeNull()
  expect(compared([large, payg], 190_000)).toEqual(['Large', 'Large costs as much as pay-as-you-go.'])
  expect(compared([large, payg], 200_000)).toEqual(['Large', 'Large costs $1.00 less than pay-as-you-go.'])
})

test('a shop without pay-as-you-go', () => {
  expect(compared([free, pro], 50_000)).toEqual(['Pro', 'Pro is the cheapest plan that includes that many.'])
  expect(compared([free, pro], 200_000)).toEqual([undefined, 'No plan includes that many.'])
})
