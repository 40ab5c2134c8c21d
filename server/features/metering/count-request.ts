import { AppError } from '../../http/errors.ts'
import type { Caller, RateLimitState } from './meter.ts'
import type { RateLimitDecision, RateLimiter } from './rate-limiter.ts'

type Maybe<T> = Promise<T> | T

/**
 * Counts a request against the limits of its key and its account, and returns the one with less left, or null without
 * limits. Throws rate_limited. A request refused by the key's limit does not count for the account.
 */
export function countRequest(limiter: RateLimiter, caller: Caller): Maybe<RateLimitState | null> {
  const { accountId, keyId, rateLimitPerMinute, keyRateLimitPerMinute = null } = caller
  const countAccount = (ofKey: RateLimitState | null): Maybe<RateLimitState | null> => {
    if (rateLimitPerMinute === null) return ofKey
    return then(limiter.consume(`account:${accountId}`, rateLimitPerMinute), (decision) => {
      const ofAccount = allowed('account', decision)
      return ofKey && ofKey.remaining < ofAccount.remaining ? ofKey : ofAccount
    })
  }
  if (keyRateLimitPerMinute === null || keyId === null) return countAccount(null)
  return then(limiter.consume(`key:${keyId}`, keyRateLimitPerMinute), (decision) =>
    countAccount(allowed('key', decision)),
  )
}

/** Continues synchronously where there is nothing to await. */
const then = <A, B>(value: Maybe<A>, next: (value: A) => Maybe<B>): Maybe<B> =>
  value instanceof Promise ? value.then(next) : next(value)

function allowed(policy: RateLimitState['policy'], decision: RateLimitDecision): RateLimitState {
  const { limit, remaining, resetSeconds } = decision
  if (decision.allowed) return { policy, limit, remaining, resetSeconds }
  const whose = policy === 'key' ? 'This API key' : 'This account'
  throw new AppError(
    'rate_limited',
    `${whose} may make ${limit} requests per minute. Try again in ${resetSeconds} s.`,
    {
      retryAfterSeconds: resetSeconds,
      rateLimit: { policy, limit },
    },
  )
}
