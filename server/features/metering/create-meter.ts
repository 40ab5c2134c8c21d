import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { movedTo } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'
import type { Listener } from '../../db/listen.ts'
import { AppError } from '../../http/errors.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { BatchTimeouts } from './batch-connection.ts'
import { type Charging, charging } from './charging.ts'
import { createNodeProbes } from './commit-probe.ts'
import { countRequest } from './count-request.ts'
import { holdCredits, releaseHold } from './holds.ts'
import { checkIdempotencyKey, digest, wasCharged } from './idempotency.ts'
import { createLanes } from './lanes.ts'
import type { Caller, CommitOutcome, HoldOutcome, Meter, RateLimitState } from './meter.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { RefusalHints } from './refusal-hints.ts'

export interface MeterParts {
  config: Pick<Config, 'FINMETER_DATA_DIR' | 'METER_BATCHES' | 'METER_BATCH_SIZE' | 'PUBLIC_URL'>
  db: Database
  listener: Listener
  limiter: RateLimiter
  log: Logger
  /** Receives each batch; null: nothing is counted. */
  metrics?: Pick<Metrics, 'batch'> | null
  /** Tests set shorter values. */
  limits?: Partial<BatchTimeouts & { callMs: number; maxQueued: number }>
}

const MAX_PRICE = 2_147_483_647
/** How often a call follows an account that keeps moving. */
const MOST_ASKS = 5
const defaults = {
  connectMs: 3_000,
  lockMs: 1_500,
  statementMs: 3_000,
  answerMs: 4_000,
  callMs: 8_000,
  maxQueued: 10_000,
}

/** The meter of one server process: admission in memory, decisions in PostgreSQL. Connects with the first commit. */
export function createMeter({
  config,
  db,
  listener,
  limiter,
  log,
  metrics,
  limits: given,
}: MeterParts): Meter & Charging {
  const { callMs, maxQueued, ...timeouts } = { ...defaults, ...given }
  const hints = new RefusalHints()
  const lanes = createLanes({
    config,
    db,
    log,
    metrics,
    maxQueued,
    callMs,
    timeouts,
    seen({ queue }, { blocked, refused, spendable }) {
      if (queue.creditsChanged) return
      if (blocked) hints.set(queue.accountId, 'account_suspended')
      else if (refused && spendable === 0) hints.set(queue.accountId, 'insufficient_credits')
    },
  })
  const probes = createNodeProbes((bucket) => db.of(bucket).session)
  listener.on('credits_changed', (payload) => {
    const accountId = Number(payload)
    hints.delete(accountId)
    lanes.markCreditsChanged(accountId)
  })
  listener.onLost(() => hints.clear())

  /** Asks in the caller's bucket, and in the account's new one when it has moved since and the response may be due to that. */
  const atHome = async <T>(
    { accountId, bucket }: Pick<Caller, 'accountId' | 'bucket'>,
    ask: (home: Database) => Promise<T>,
    mayHaveMoved: (outcome: T) => boolean,
  ): Promise<T> => {
    let asked = bucket
    for (let asks = 1; ; asks++) {
      const outcome = await ask(db.of(asked).node)
      const home = mayHaveMoved(outcome) && asks < MOST_ASKS ? await movedTo(db.kysely, accountId, asked) : null
      if (home === null) return outcome
      asked = home
    }
  }
  const knownAsCharged = (caller: Pick<Caller, 'accountId' | 'bucket'>, key: string) =>
    atHome(
      caller,
      (home) => wasCharged(home, caller.accountId, key),
      (charged) => !charged,
    )

  const outOfCredits = () =>
    new AppError('insufficient_credits', undefined, { help: `${config.PUBLIC_URL}/dashboard/billing/` })

  const refuseByHint = (caller: Caller, maximumCredits: number, idempotencyKey?: string): void | Promise<void> => {
    const hint = listener.connected ? hints.get(caller.accountId) : null
    if (hint === null) return
    if (hint === 'account_suspended') throw new AppError('account_suspended')
    if (maximumCredits === 0) return
    if (idempotencyKey === undefined) throw outOfCredits()
    return knownAsCharged(caller, idempotencyKey).then(
      (charged) => {
        if (!charged) throw outOfCredits()
      },
      (error: Error) => {
        log.warn({ error: error.message }, 'could not look up an idempotency key')
        throw new AppError('metering_unavailable', undefined, { retryAfterSeconds: 1 }, { cause: error })
      },
    )
  }

  const acts: Charging = {
    admit(caller, maximumCredits, idempotencyKey) {
      if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey)
      const finish = (state: RateLimitState | null): RateLimitState | null | Promise<RateLimitState | null> => {
        const pending = refuseByHint(caller, maximumCredits, idempotencyKey)
        return pending ? pending.then(() => state) : state
      }
      const state = countRequest(limiter, caller)
      return state instanceof Promise ? state.then(finish) : finish(state)
    },

    async hold(caller, { most, seconds, idempotencyKey, onExpiry }) {
      if (onExpiry === 'charge') throw new Error('holds that are charged at their expiry follow in this branch')
      const { accountId, keyId } = caller
      const outcome = await atHome(
        caller,
        (home) => holdCredits(home, { accountId, keyId, most, seconds }),
        isOfStranger,
      )
      if (outcome.kind === 'refused' && idempotencyKey !== undefined && (await knownAsCharged(caller, idempotencyKey)))
        return null
      return outcome
    },

    release: (caller, holdId) =>
      atHome(
        caller,
        (home) => releaseHold(home, holdId),
        (released) => !released,
      ).then(
        (released) => released,
        (error: Error) => {
          log.warn({ holdId, error: error.message }, 'could not release a hold: it will expire')
          return false
        },
      ),

    commit(call) {
      return new Promise((resolve, reject) => {
        if (!Number.isSafeInteger(call.credits) || call.credits < 0 || call.credits > MAX_PRICE) {
          log.error({ credits: call.credits, toolId: call.toolId }, 'a tool asked for an invalid price')
          return reject(new AppError('metering_unavailable', undefined, { retryAfterSeconds: 1 }))
        }
        if (call.idempotency) checkIdempotencyKey(call.idempotency.key)
        const idempotencyKey = call.idempotency && digest(call.idempotency.key)
        const request = call.idempotency && digest(call.idempotency.requestHash)
        const unavailable = (error: Error): void =>
          reject(new AppError('metering_unavailable', undefined, { retryAfterSeconds: 1 }, { cause: error }))
        const ask = (bucket: number, asks: number): void => {
          const settle = (outcome: CommitOutcome): void => {
            if (!isOfStranger(outcome) || asks === MOST_ASKS) {
              resolve(outcome)
              return
            }
            // The account may have moved while the call ran. Nothing was charged here, so it is decided there.
            movedTo(db.kysely, call.accountId, bucket).then(
              (home) => (home === null ? resolve(outcome) : ask(home, asks + 1)),
              unavailable,
            )
          }
          lanes.of(bucket).add({ call, idempotencyKey, request, arrivedAtMs: Date.now(), resolve: settle, reject })
        }
        ask(call.bucket, 1)
      })
    },
  }
  return {
    ...acts,
    [charging]: acts,
    figures: lanes.figures,
    // Calls of the other buckets can be served while one node is down.
    canCommit: () => probes.anyCanCommit([0, ...lanes.buckets()]),
    async close() {
      void probes.close()
      await lanes.close()
    },
  }
}

/** The outcome in a bucket without the account. */
const isOfStranger = (outcome: CommitOutcome | HoldOutcome): boolean =>
  outcome.kind === 'refused' && outcome.code === 'key_invalid'
