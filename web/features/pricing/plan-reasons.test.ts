import { expect, test } from 'vitest'
import { fallbackPlans, type ShownPlan } from './fallback-plans.ts'
import { planReasons } from './plan-reasons.ts'

const [free, pro, payg] = fallbackPlans as [ShownPlan, ShownPlan, ShownPlan]
const reasons = (plans: readonly ShownPlan[]) => planReasons(plans).map(({ reason }) => reason)

test('a plan that is never the cheapest says so, and what it is for', () =>
  expect(reasons([free, pro, payg])).toEqual([
    'To try things out: 1,000 requests a month. Calls stop there, so nothing is charged.',
    'The same bill every month, and priority support. Choose it for that, not for the price: pay-as-you-go costs less.',
    'You pay for what you use, from $1.00 a month to the cap that you set. It costs less than Pro for as many requests as Pro includes, but the bill varies.',
  ]))

test('a plan that becomes the cheapest says from how many requests on', () =>
  expect(reasons([{ ...pro, name: 'Large', credits: 1_000_000, marketing_features: [] }, payg])).toEqual([
    'The same bill every month. From 190,000 requests on, it costs no more than pay-as-you-go.',
    'You pay for what you use, from $1.00 a month to the cap that you set. It costs less than Large below 190,000 requests, but the bill varies.',
  ]))

test('without pay-as-you-go nothing is compared with it', () =>
  expect(reasons([pro])).toEqual([expect.stringMatching(/^The same bill every month, and [^.]*\.$/)]))
