import { expect, test } from 'vitest'
import { planDate } from './plan-date.ts'

const noon = Date.UTC(2027, 0, 15, 12) / 1000
const later = Date.UTC(2027, 1, 20, 12) / 1000
const price = { id: 'price_pro', nickname: null, currency: 'usd', product: 'prod' }
const paid = {
  id: 'sub_1',
  status: 'active',
  plan_type: 'paid' as const,
  plan_id: 'price_pro',
  plan: { ...price, name: 'Pro', amount: 1900, interval: 'month' as const, credits_included: 100_000 },
  items: { data: [] },
  currency: 'usd',
  current_period_end: noon,
  trial_end: null,
  cancels_at: null,
  pending_change: null,
  provider_status: 'active',
}

test.each([
  ['an active plan', {}, 'Next billing date: Jan 15, 2027'],
  ['a free plan', { plan_type: 'free' as const }, 'Renews on Jan 15, 2027'],
  ['a plan that ends', { cancels_at: later }, 'Ends on Feb 20, 2027'],
  [
    'a plan that becomes another',
    { pending_change: { priceId: 'price_max', name: 'Max' } },
    'Changes to Max on Jan 15, 2027',
  ],
  ['a late payment', { status: 'past_due' }, 'Payment due'],
  ['a payment that was given up', { status: 'unpaid' }, 'Payment due'],
  ['a first payment that is missing', { status: 'incomplete' }, 'Payment due'],
  [
    'a late payment of a plan that ends',
    { status: 'past_due', cancels_at: later },
    'Payment due. Ends on Feb 20, 2027',
  ],
  ['a plan that pauses', { status: 'paused' }, ''],
])('%s', (_name, change, words) => {
  expect(planDate({ ...paid, ...change })).toBe(words)
})
