import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import type { Listener } from '../../db/listen.ts'
import { AppError } from '../../http/errors.ts'
import type { BatchTimeouts } from './batch-connection.ts'
import { type Charging, charging } from './charging.ts'
import { createCommitProbe } from './commit-probe.ts'
import { Committer } from './committer.ts'
import { countRequest } from './count-request.ts'
import { createFolder } from './fold.ts'
import { givenUpBatches } from './given-up.ts'
import { holdCredits, releaseHold } from './holds.ts'
import { checkIdempotencyKey, digest, wasCharged } from './idempotency.ts'
import type { Meter, RateLimitState } from './meter.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { RefusalHints } from './refusal-hints.ts'

export interface MeterParts {
  config: Pick<Config, 'FINMETER_DATA_DIR' | 'METER_BATCHES' | 'METER_BATCH_SIZE' | 'PUBLIC_URL'>
  db: Database
  listener: Listener
  limiter: RateLimiter
  log: Logger
  /** Tests set shorter values. */
  limits?: Partial<BatchTimeouts & { callMs: number; maxQueued: number }>
}

const MAX_PRICE = 2_147_483_647
const defaults = {
  connectMs: 3_000,
  lockMs: 1_500,
  statementMs: 3_000,
  answerMs: 4_000,
  callMs: 8_000,
  maxQueued: 10_000,
}

/** The meter of one server process: admission in memory, decisions in PostgreSQL. Connects with the first commit. */
export function createMeter({ config, db, listener, limiter, log, limits: given }: MeterParts): Meter & Charging {
  const { callMs, maxQueued, ...timeouts } = { ...defaults, ...given }
  const hints = new RefusalHints()
  const folder = createFolder(db, log)
  const probe = createCommitProbe({ connectionString: db.pool.options.connectionString })
  const committer = new Committer({
    connectionString: db.pool.options.connectionString,
    batches: config.METER_BATCHES,
    batchSize: config.METER_BATCH_SIZE,
    maxQueued,
    callDeadlineMs: callMs,
    timeouts,
    log,
    givenUp: givenUpBatches(join(config.FINMETER_DATA_DIR, 'given-up'), log),
    seen({ queue }, { blocked, refused, spendable }) {
      folder.wake()
      if (queue.creditsChanged) return
      if (blocked) hints.set(queue.accountId, 'account_suspended')
      else if (refused && spendable === 0) hints.set(queue.accountId, 'insufficient_credits')
    },
  })
  listener.on('credits_changed', (payload) => {
    const accountId = Number(payload)
    hints.delete(accountId)
    committer.markCreditsChanged(accountId)
  })
  listener.onLost(() => hints.clear())

  const outOfCredits = () =>
    new AppError('insufficient_credits', undefined, { help: `${config.PUBLIC_URL}/dashboard/billing/` })

  const refuseByHint = (accountId: number, maximumCredits: number, idempotencyKey?: string): void | Promise<void> => {
    const hint = listener.connected ? hints.get(accountId) : null
    if (hint === null) return
    if (hint === 'account_suspended') throw new AppError('account_suspended')
    if (maximumCredits === 0) return
    if (idempotencyKey === undefined) throw outOfCredits()
    return wasCharged(db, accountId, idempotencyKey).then(
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
        const pending = refuseByHint(caller.accountId, maximumCredits, idempotencyKey)
        return pending ? pending.then(() => state) : state
      }
      const state = countRequest(limiter, caller)
      return state instanceof Promise ? state.then(finish) : finish(state)
    },

    async hold({ accountId, keyId }, { most, seconds, idempotencyKey }) {
      const outcome = await holdCredits(db, { accountId, keyId, most, seconds })
      if (
        outcome.kind === 'refused' &&
        idempotencyKey !== undefined &&
        (await wasCharged(db, accountId, idempotencyKey))
      )
        return null
      return outcome
    },

    release: (holdId) =>
      releaseHold(db, holdId).catch((error: Error) =>
        log.warn({ holdId, error: error.message }, 'could not release a hold: it will expire'),
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
        committer.add({ call, idempotencyKey, request, arrivedAtMs: Date.now(), resolve, reject })
      })
    },
  }
  return {
    ...acts,
    [charging]: acts,
    figures: () => committer.figures(),
    canCommit: probe.canCommit,
    async close() {
      void probe.close()
      await committer.close()
      await folder.close()
    },
  }
}
