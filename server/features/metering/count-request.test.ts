import { expect, test } from 'vitest'
import { countRequest } from './count-request.ts'
import { memoryLimiter } from './rate-limiter.ts'

test('the limit with less left is named, and what the key refuses does not count for the account', async () => {
  const limiter = memoryLimiter(() => 1_000)
  const count = (keyId: number, keyRateLimitPerMinute: number) =>
    countRequest(limiter, { accountId: 1, bucket: 0, keyId, rateLimitPerMinute: 4, keyRateLimitPerMinute })
  expect(count(1, 2)).toMatchObject({ policy: 'key', remaining: 1 })
  expect(count(1, 2)).toMatchObject({ policy: 'key', remaining: 0 })
  expect(() => count(1, 2)).toThrow('This API key may make 2 requests per minute.')
  expect(count(2, 100)).toMatchObject({ policy: 'account', remaining: 1 })
  expect(count(2, 100)).toMatchObject({ policy: 'account', remaining: 0 })
  expect(() => count(2, 100)).toThrow('This account may make 4 requests per minute.')
  await limiter.close()
})
