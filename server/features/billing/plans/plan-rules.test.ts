import { describe, expect, test } from 'vitest'
import { planCredits, planRateLimit, planType } from './plan-rules.ts'

const plan = (metadata: Record<string, string>, priceCents = 1_900, credits?: number) => ({
  priceCents,
  metadata,
  credits,
})

describe('credits of a plan', () => {
  test.each([
    ['its own credits above 0', plan({ credits: '5' }, 1_900, 250), 250],
    ['metadata credits when its own are 0', plan({ credits: '5', credit: '7' }, 1_900, 0), 5],
    ['metadata credit when credits is not a whole number above 0', plan({ credits: '-5', credit: '7' }), 7],
    ['metadata credit when credits is a fraction', plan({ credits: '1.5', credit: '7' }), 7],
    ['metadata credit when credits is 0', plan({ credits: '0', credit: '7' }), 7],
    ['1,000 when nothing names them', plan({}), 1_000],
    ['1,000 when nothing usable names them', plan({ credits: 'many', credit: '1e3' }), 1_000],
    ['none for pay-as-you-go', plan({ type: 'payg', credits: '5' }, 0), 0],
  ])('are %s', (_name, given, expected) => expect(planCredits(given)).toBe(expected))
})

describe('type of a plan', () => {
  test.each([
    ['free if the price is 0', plan({}, 0), 'free'],
    ['paid if above 0', plan({}, 1), 'paid'],
    ['paid for pay-as-you-go, whose monthly price is 0', plan({ type: 'payg' }, 0), 'paid'],
  ])('is %s', (_name, given, expected) => expect(planType(given)).toBe(expected))
})

describe('rate limit of a plan', () => {
  test.each([
    ['the one it names', plan({ rate_limit: '77' }), 77],
    ['120 for free', plan({}, 0), 120],
    ['1,200 for paid', plan({}), 1_200],
    ['3,000 for pay-as-you-go', plan({ type: 'payg' }, 0), 3_000],
    ['the default when the given one is not a number above 0', plan({ rate_limit: '0' }, 0), 120],
  ])('is %s', (_name, given, expected) => expect(planRateLimit(given)).toBe(expected))
})
