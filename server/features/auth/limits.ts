import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../../config.ts'
import { AuthError } from './errors.ts'

/** Requests in a window of seconds; per address unless it says person. */
const LIMITS = {
  any: { points: 1200, duration: 300 },
  token: { points: 150, duration: 300 },
  verify: { points: 30, duration: 300 },
  signup: { points: 30, duration: 300 },
  otp: { points: 30, duration: 300 },
  magiclink: { points: 30, duration: 300 },
  recover: { points: 30, duration: 300 },
  resend: { points: 30, duration: 300 },
  updateUser: { points: 30, duration: 300 },
  anonymous: { points: 30, duration: 3600 },
  challenge: { points: 15, duration: 60 },
  verifyFactor: { points: 15, duration: 60 },
  person: { points: 300, duration: 300 },
  password: { points: 20, duration: 300 },
} as const

export type Limit = keyof typeof LIMITS

/** Limits of the auth service. They fail open: without Redis each instance counts for itself. */
export interface AuthLimits {
  /** Counts one request of `who` (an address, a person, an account name). Throws 429 over_request_rate_limit. */
  count: (limit: Limit, who: string) => Promise<void>
  /** Counts a mail against the whole instance's budget. Throws 429 over_email_send_rate_limit. */
  countMail: () => Promise<void>
  close: () => Promise<void>
}

export function createAuthLimits(
  config: Pick<Config, 'REDIS_URL' | 'AUTH_RATE_LIMITS' | 'AUTH_MAILS_PER_HOUR'>,
): AuthLimits {
  if (config.AUTH_RATE_LIMITS === 'off')
    return { count: async () => {}, countMail: async () => {}, close: async () => {} }
  const redis = config.REDIS_URL ? connect(config.REDIS_URL) : null
  const make = (name: string, options: { points: number; duration: number }) => {
    const memory = new RateLimiterMemory({ keyPrefix: `finmeter:auth:${name}`, ...options })
    return redis
      ? new RateLimiterRedis({
          storeClient: redis,
          keyPrefix: `finmeter:auth:${name}`,
          rejectIfRedisNotReady: true,
          insuranceLimiter: memory,
          ...options,
        })
      : memory
  }
  const counters = Object.fromEntries(Object.entries(LIMITS).map(([name, options]) => [name, make(name, options)]))
  const mails = make('mails', { points: config.AUTH_MAILS_PER_HOUR, duration: 3600 })
  return {
    async count(limit, who) {
      // Names of accounts are personal: only their hash is kept.
      const key = createHash('sha256').update(who).digest('base64url')
      if (!(await taken(counters[limit]!, key)))
        throw new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached')
    },
    async countMail() {
      if (!(await taken(mails, 'instance')))
        throw new AuthError(429, 'over_email_send_rate_limit', 'email rate limit exceeded')
    },
    close: async () => redis?.disconnect(),
  }
}

/** False when the limit is reached; every other failure lets the request pass. */
async function taken(counter: RateLimiterMemory | RateLimiterRedis, key: string): Promise<boolean> {
  try {
    await counter.consume(key)
    return true
  } catch (error) {
    return !(error instanceof RateLimiterRes)
  }
}

function connect(url: string): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 500 })
  // metering/rate-limiter.ts reports that Redis is away; here it only matters that memory counts instead.
  redis.on('error', () => {})
  return redis
}
