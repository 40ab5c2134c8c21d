import { describe, expect, test } from 'vitest'
import { readTestTarget } from '../testing/stories/api-client.ts'
import { startApiStage } from '../testing/stories/api-stage.ts'
import { runStories, stories } from '../testing/stories/run-stories.ts'

// The stories against Stripe's test mode (or a compatible server at STRIPE_TEST_URL), if a test key is given.
const target = readTestTarget(process.env)
describe("on Stripe's test mode", () => {
  if (target)
    for (const delivery of ['in order', 'duplicated and shuffled'] as const)
      runStories(delivery, { start: () => startApiStage(target), minutes: 15 })
  else test.skip.each(Object.keys(stories))('%s', () => {})
})

describe('the key of the suite', () => {
  test('none: the suite is skipped', () => {
    expect(readTestTarget({})).toBeNull()
    expect(readTestTarget({ STRIPE_TEST_SECRET_KEY: '' })).toBeNull()
  })

  test('a test key: secret or restricted', () => {
    expect(readTestTarget({ STRIPE_TEST_SECRET_KEY: 'sk_test_a1' })).toEqual({ key: 'sk_test_a1', url: undefined })
    expect(readTestTarget({ STRIPE_TEST_SECRET_KEY: 'rk_test_a1' })).toEqual({ key: 'rk_test_a1', url: undefined })
  })

  test.each(['sk_live_a1', 'rk_live_a1'])('a live key is refused without repeating it: %s', (key) => {
    const reading = () => readTestTarget({ STRIPE_TEST_SECRET_KEY: key })
    expect(reading).toThrow('STRIPE_TEST_SECRET_KEY is a live key. The stories run on test keys only.')
    expect(reading).not.toThrow(key)
  })

  test('a publishable key or nonsense is refused', () => {
    expect(() => readTestTarget({ STRIPE_TEST_SECRET_KEY: 'pk_test_a1' })).toThrow('is not a secret key')
    expect(() => readTestTarget({ STRIPE_TEST_SECRET_KEY: 'hello' })).toThrow('is not a secret key')
  })
})
