import { expect, test } from 'vitest'
import { currentSubscription, hasPaidPlan, holdsPaidPlan, isCurrentPlan, mayUseKeys } from './current-plan.ts'
import type { SubscriptionAnswer } from './queries.ts'

type One = NonNullable<SubscriptionAnswer['subscription']>

const subscription = (change: Partial<One> = {}): One => ({
  id: 'sub_1',
  status: 'active',
  plan_type: 'paid',
  plan_id: 'price_pro',
  plan: {
    id: 'price_pro',
    name: 'Pro',
    nickname: null,
    amount: 1900,
    currency: 'usd',
    interval: 'month',
    product: 'prod',
    credits_included: 100_000,
  },
  items: {
    data: [
      {
        price: {
          id: 'price_pro',
          nickname: null,
          unit_amount: 1900,
          unit_amount_decimal: '1900',
          currency: 'usd',
          recurring: { interval: 'month' },
          product: 'prod',
        },
      },
    ],
  },
  currency: 'usd',
  current_period_end: 1_800_000_000,
  trial_end: null,
  cancels_at: null,
  pending_change: null,
  provider_status: null,
  ...change,
})
const answer = (one: One | null, list = one ? [one] : []): SubscriptionAnswer => ({
  subscription: one,
  subscriptions: list,
})

test('a subscription counts only when it is active and has an item', () => {
  expect(currentSubscription(answer(subscription()))?.id).toBe('sub_1')
  expect(currentSubscription(answer(subscription({ status: 'past_due' })))).toBeNull()
  expect(currentSubscription(answer(subscription({ items: { data: [] } })))).toBeNull()
  expect(currentSubscription(answer(null))).toBeNull()
  expect(currentSubscription(undefined)).toBeNull()
})

test('an active subscription in the list counts when the single one does not', () => {
  const old = subscription({ id: 'sub_0', status: 'canceled' })
  expect(currentSubscription(answer(old, [old, subscription()]))?.id).toBe('sub_1')
})

test('a plan is current when the first item of an active subscription has its price', () => {
  expect(isCurrentPlan({ priceId: 'price_pro' }, answer(subscription()))).toBe(true)
  expect(isCurrentPlan({ priceId: 'price_free' }, answer(subscription()))).toBe(false)
  expect(isCurrentPlan({ priceId: 'price_pro' }, answer(subscription({ status: 'canceled' })))).toBe(false)
})

test('the key page needs an active subscription or a paid plan type', () => {
  expect(mayUseKeys(answer(null))).toBe(false)
  expect(mayUseKeys(answer(subscription({ plan_type: 'free' })))).toBe(true)
  expect(mayUseKeys(answer(subscription({ plan_type: 'free', status: 'canceled' })))).toBe(false)
  expect(mayUseKeys(answer(subscription({ status: 'past_due' })))).toBe(true)
})

test('only an active paid plan is a paid plan', () => {
  expect(hasPaidPlan(answer(subscription()))).toBe(true)
  expect(hasPaidPlan(answer(subscription({ plan_type: 'free' })))).toBe(false)
  expect(hasPaidPlan(answer(null))).toBe(false)
})

test('a paid plan lasts while a payment is late, until it has ended', () => {
  for (const status of ['active', 'past_due', 'unpaid', 'paused'])
    expect([status, holdsPaidPlan(answer(subscription({ status })))]).toEqual([status, true])
  for (const status of ['canceled', 'incomplete', 'incomplete_expired'])
    expect([status, holdsPaidPlan(answer(subscription({ status })))]).toEqual([status, false])
  expect(holdsPaidPlan(answer(subscription({ plan_type: 'free' })))).toBe(false)
  expect(holdsPaidPlan(answer(null))).toBe(false)
  expect(holdsPaidPlan(undefined)).toBe(false)
})
