import { expect, test } from 'vitest'
import { compareCosts } from './compare-costs.ts'
import { fallbackPlans, type ShownPlan } from './fallback-plans.ts'
import { monthlyCents } from './monthly-cost.ts'

const [free, pro, payg] = fallbackPlans as [ShownPlan, ShownPlan, ShownPlan]

function compared(plans: readonly ShownPlan[], requests: number) {
  const costs = plans.map((plan) => ({ plan, cents: monthlyCents(plan, requests, false) }))
  const { fixed, said } = compareCosts(costs, requests)
  return [fixed?.name, said]
}

test('the cheapest plan with a fixed price is named, and what pay-as-you-go costs beside it', () => {
  expect(compared([free, pro, payg], 500)).toEqual(['Free', 'Free costs $1.00 less than pay-as-you-go.'])
  expect(compared([free, pro, payg], 50_000)).toEqual([
    'Pro',
    'Pay-as-you-go costs $14.00 less for 50,000 requests. Pro costs the same every month.',
  ])
  expect(compared([free, pro, payg], 200_000)).toEqual([
    undefined,
    'No plan with a fixed price includes that many. Pay-as-you-go has no limit but the cap that you set.',
  ])
})

test('where a fixed price becomes the lower one, the sentence says from how many requests on', () => {
  const large = { ...pro, name: 'Large', credits: 1_000_000 }
  expect(compared([large, payg], 50_000)[1]).toBe(
    'Pay-as-you-go costs $14.00 less for 50,000 requests. Large costs the same every month. From 190,000 requests on, it is the cheaper one.',
  )
  expect(compared([large, payg], 190_000)).toEqual(['Large', 'Large costs as much as pay-as-you-go.'])
  expect(compared([large, payg], 200_000)).toEqual(['Large', 'Large costs $1.00 less than pay-as-you-go.'])
})

test('a shop without pay-as-you-go', () => {
  expect(compared([free, pro], 50_000)).toEqual(['Pro', 'Pro is the cheapest plan that includes that many.'])
  expect(compared([free, pro], 200_000)).toEqual([undefined, 'No plan includes that many.'])
})
