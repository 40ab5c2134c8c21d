import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import type { Config } from '../../config/config.ts'
import type { RateLimitState } from './meter.ts'

const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1000

/** Accounts, keys and an account's chat turns are counted separately. */
export type RateLimitSubject = `account:${number}` | `key:${number}` | `chat:${number}`

export interface RateLimitDecision extends Omit<RateLimitState, 'policy'> {
  allowed: boolean
}

/**
 * Requests per minute of an account or a key, in fixed windows that start with the first request. Limits fail open:
 * without Redis, each instance counts alone.
 */
export interface RateLimiter {
  /** Counts one request. `limit` is the subject's requests per minute. */
  consume: (subject: RateLimitSubject, limit: number) => RateLimitDecision | Promise<RateLimitDecision>
  /** Whether instances currently share counts (Redis answers); null if they are not meant to. */
  readonly shared: boolean | null
  close: () => Promise<void>
}

/** Counts in memory, or in the Redis at REDIS_URL, with memory as fallback while Redis does not answer. */
export function createRateLimiter({ config, log }: { config: Pick<Config, 'REDIS_URL'>; log: Logger }): RateLimiter {
  return config.REDIS_URL ? sharedLimiter(config.REDIS_URL, log) : memoryLimiter(Date.now)
}

interface Window {
  endsAtMs: number
  used: number
}

/** The synchronous limiter of a single instance. `now` returns milliseconds. */
export function memoryLimiter(now: () => number): RateLimiter {
  const windows = new Map<RateLimitSubject, Window>()
  const sweep = setInterval(() => {
    const at = now()
    for (const [subject, window] of windows) if (window.endsAtMs <= at) windows.delete(subject)
  }, WINDOW_MS)
  sweep.unref()
  return {
    consume(subject, limit) {
      const at = now()
      let window = windows.get(subject)
      if (!window) {
        window = { endsAtMs: at + WINDOW_MS, used: 0 }
        windows.set(subject, window)
      } else if (window.endsAtMs <= at) {
        window.endsAtMs = at + WINDOW_MS
        window.used = 0
      }
      const allowed = window.used < limit
      if (allowed) window.used++
      return decision(allowed, limit, window.used, window.endsAtMs - at)
    },
    shared: null,
    close: async () => clearInterval(sweep),
  }
}

function sharedLimiter(url: string, log: Logger): RateLimiter {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: 500,
  })
  let ready = false
  let healthy = true
  redis.on('close', () => {
    ready = false
  })
  redis.on('error', (error: Error) => {
    if (healthy) log.warn({ error: error.message }, 'Redis does not answer: rate limits are counted in memory')
    healthy = false
  })
  redis.on('ready', () => {
    if (!healthy) log.info('Redis answers again: rate limits are shared')
    healthy = true
    ready = true
  })
  // The limit varies by account, so the library only counts and the comparison happens here.
  const points = Number.MAX_SAFE_INTEGER
  const counter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'finmeter:rate',
    points,
    duration: WINDOW_SECONDS,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory({ points, duration: WINDOW_SECONDS }),
  })
  return {
    async consume(subject, limit) {
      const { consumedPoints, msBeforeNext } = await counter.consume(subject)
      return decision(consumedPoints <= limit, limit, consumedPoints, msBeforeNext)
    },
    get shared() {
      return ready
    },
    close: async () => redis.disconnect(),
  }
}

function decision(allowed: boolean, limit: number, used: number, leftMs: number): RateLimitDecision {
  return { allowed, limit, remaining: Math.max(0, limit - used), resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)) }
}
