import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../../config/config.ts'
import { AppError } from '../errors.ts'
import { addressKey } from './address-key.ts'
import { type LimitName, type LimitRow, limitTable, type Rate, type Subject, subjects } from './table.ts'

/** Who is counted in a row: one key for each subject that the row has a rate for. */
export type Counted<N extends LimitName> = {
  [S in Exclude<keyof (typeof limitTable)[N] & Subject, 'installation'>]: string
}

/**
 * Counts what `table.ts` limits. Fails open: without Redis each instance counts in memory for itself. Keys are kept as
 * hashes, since addresses and names of accounts are personal.
 */
export interface Limits {
  /** Counts one. Throws rate_limited with the seconds to wait; then the row's other rates are not counted. */
  count: <N extends LimitName>(name: N, who: Counted<N>) => Promise<void>
  /** Counts one like `count`; what it returns takes it back, for limits on what went wrong. */
  attempt: <N extends LimitName>(name: N, who: Counted<N>) => Promise<() => Promise<void>>
  /** Takes one of the places that a person has at the same time; what it returns frees it. Throws rate_limited. */
  enter: (name: Parallel, person: string) => () => void
  close: () => Promise<void>
}

type Parallel = { [N in LimitName]: (typeof limitTable)[N] extends { parallel: number } ? N : never }[LimitName]
type Counter = RateLimiterMemory | RateLimiterRedis
type LimitConfig = Pick<Config, 'REDIS_URL' | 'AUTH_RATE_LIMITS' | 'AUTH_MAILS_PER_HOUR'>

export function createLimits(config: LimitConfig): Limits {
  const redis = config.REDIS_URL ? connect(config.REDIS_URL) : null
  const counters = new Map<string, Counter>()
  for (const [name, row] of Object.entries<LimitRow>(limitTable)) {
    if (config.AUTH_RATE_LIMITS === 'off' && name.startsWith('auth.')) continue
    for (const subject of subjects)
      if (row[subject])
        counters.set(`${name}:${subject}`, makeCounter(redis, `${name}:${subject}`, row[subject], config))
  }
  const entered = new Map<string, number>()

  const attempt: Limits['attempt'] = async (name, who) => {
    const taken: [Counter, string][] = []
    const giveBack = async (): Promise<void> => {
      await Promise.all(taken.map(([counter, key]) => counter.reward(key).catch(() => {})))
    }
    for (const subject of subjects) {
      const counter = counters.get(`${name}:${subject}`)
      if (!counter) continue
      const key = keyOf(subject, (who as Partial<Record<Subject, string>>)[subject])
      const waitMs = await consume(counter, key)
      if (waitMs !== null) {
        await giveBack()
        throw refusal(name, waitMs)
      }
      taken.push([counter, key])
    }
    return giveBack
  }

  return {
    attempt,
    count: async (name, who) => void (await attempt(name, who)),
    enter(name, person) {
      const key = `${name}:${person}`
      const now = entered.get(key) ?? 0
      if (now >= limitTable[name].parallel)
        throw new AppError(
          'rate_limited',
          `Too many ${limitTable[name].what} at the same time: at most ${limitTable[name].parallel}. Wait until one ends.`,
          { retryAfterSeconds: 5 },
        )
      entered.set(key, now + 1)
      let left = false
      return () => {
        if (left) return
        left = true
        const others = entered.get(key)! - 1
        if (others === 0) entered.delete(key)
        else entered.set(key, others)
      }
    },
    close: async () => redis?.disconnect(),
  }
}

function makeCounter(redis: Redis | null, name: string, [most, duration]: Rate, config: LimitConfig): Counter {
  const options = {
    keyPrefix: `finmeter:limit:${name}`,
    points: typeof most === 'number' ? most : config[most],
    duration,
  }
  const memory = new RateLimiterMemory(options)
  if (!redis) return memory
  return new RateLimiterRedis({ storeClient: redis, rejectIfRedisNotReady: true, insuranceLimiter: memory, ...options })
}

function keyOf(subject: Subject, given = ''): string {
  if (subject === 'installation') return 'all'
  const key = subject === 'address' ? addressKey(given) : given
  return createHash('sha256').update(key).digest('base64url')
}

/** Null, or milliseconds to wait when the limit is reached. Every other failure lets the request pass. */
async function consume(counter: Counter, key: string): Promise<number | null> {
  try {
    await counter.consume(key)
    return null
  } catch (error) {
    return error instanceof RateLimiterRes ? error.msBeforeNext : null
  }
}

function refusal(name: LimitName, waitMs: number): AppError {
  const { what = 'requests' }: LimitRow = limitTable[name]
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new AppError('rate_limited', `Too many ${what}. Try again in ${inWords(seconds)}.`, {
    retryAfterSeconds: seconds,
  })
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`
}

function connect(url: string): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 500 })
  // metering/rate-limiter.ts reports that Redis is away; here it only matters that memory counts instead.
  redis.on('error', () => {})
  return redis
}
