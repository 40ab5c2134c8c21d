import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { movedTo } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'
import type { Listener } from '../../db/listen.ts'
import { AppError } from '../../http/errors.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { HoldChange, PendingEntry } from './account-queues.ts'
import type { BatchTimeouts } from './batch-connection.ts'
import { type Charging, charging } from './charging.ts'
import { createNodeProbes } from './commit-probe.ts'
import { countRequest } from './count-request.ts'
import { createGroupCommits } from './group-commits.ts'
import { checkTerms, isHoldId } from './holds.ts'
import { checkIdempotencyKey, digestsOf, wasCharged } from './idempotency.ts'
import type { Caller, CommitOutcome, HoldOutcome, Meter, MeteredCall, RateLimitState } from './meter.ts'
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
  /** What a suspended account is told. */
  suspended?: () => AppError
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
  suspended = () => new AppError('account_suspended'),
  limits: given,
}: MeterParts): Meter & Charging {
  const { callMs, maxQueued, ...timeouts } = { ...defaults, ...given }
  const hints = new RefusalHints()
  const commits = createGroupCommits({
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
    commits.markCreditsChanged(accountId)
  })
  listener.onLost(() => hints.clear())

  /** Asks in the caller's bucket, and in the account's new one when it has moved since. */
  const knownAsCharged = async ({ accountId, bucket }: Pick<Caller, 'accountId' | 'bucket'>, key: string) => {
    let asked = bucket
    for (let asks = 1; ; asks++) {
      if (await wasCharged(db.of(asked).node, accountId, key)) return true
      const home = asks < MOST_ASKS ? await movedTo(db.kysely, accountId, asked) : null
      if (home === null) return false
      asked = home
    }
  }

  const outOfCredits = () =>
    new AppError('insufficient_credits', undefined, { help: `${config.PUBLIC_URL}/dashboard/billing/` })

  const refuseByHint = (caller: Caller, maximumCredits: number, idempotencyKey?: string): void | Promise<void> => {
    const hint = listener.connected ? hints.get(caller.accountId) : null
    if (hint === null) return
    if (hint === 'account_suspended') throw suspended()
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

  /** Decides an entry in its account's bucket. What `make` throws, it rejects with. */
  const decide = (make: () => Entry): Promise<CommitOutcome | HoldChange> =>
    new Promise((resolve, reject) => {
      const { kind, call, terms, idempotencyKey, request, answer } = make()
      const unavailable = (error: Error): void =>
        reject(new AppError('metering_unavailable', undefined, { retryAfterSeconds: 1 }, { cause: error }))
      const ask = (bucket: number, asks: number): void => {
        const settle = (outcome: CommitOutcome | HoldChange): void => {
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
        const arrivedAtMs = Date.now()
        commits
          .of(bucket)
          .add({ kind, call, terms, idempotencyKey, request, answer, arrivedAtMs, resolve: settle, reject })
      }
      ask(call.bucket, 1)
    })

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

    async hold(caller, terms) {
      checkTerms(terms)
      const { most, seconds, idempotencyKey, onExpiry, toolId = 0 } = terms
      const id = randomUUID()
      const entry: Entry = {
        kind: 'hold',
        call: { ...ofCaller(caller), toolId, credits: most, status: 'success', durationMs: 0, holdId: id },
        terms: { seconds, chargeAs: onExpiry === 'charge' ? toolId : null },
      }
      const outcome = await decide(() => entry)
      if (outcome.kind === 'held') return { ...outcome, kind: outcome.kind, id }
      if (idempotencyKey !== undefined && (await knownAsCharged(caller, idempotencyKey))) return null
      return outcome as Extract<HoldOutcome, { kind: 'refused' }>
    },

    async release(caller, holdId) {
      if (!isHoldId(holdId)) return false
      const call: MeteredCall = {
        ...ofCaller({ ...caller, keyId: null }),
        toolId: 0,
        credits: 0,
        status: 'success',
        durationMs: 0,
        holdId,
      }
      return decide(() => ({ kind: 'release', call })).then(
        ({ kind }) => kind === 'released',
        (error: Error) => {
          log.warn({ holdId, error: error.message }, 'could not release a hold: it will expire')
          return false
        },
      )
    },

    async chargeAtExpiry({ accountId, bucket }, holdId, toolId) {
      const change = (home: number) =>
        db
          .of(home)
          .pool.query('update credit_holds set charge_as = $3 where id = $1 and account_id = $2', [
            holdId,
            accountId,
            toolId,
          ])
      try {
        const { rowCount } = await change(bucket)
        // The account may have moved since.
        const home = rowCount === 0 ? await movedTo(db.kysely, accountId, bucket) : null
        if (home !== null) await change(home)
      } catch (error) {
        log.warn({ holdId, error: (error as Error).message }, 'a hold would be released, not charged, at its expiry')
      }
    },

    commit: (call) =>
      decide(() => {
        if (!Number.isSafeInteger(call.credits) || call.credits < 0 || call.credits > MAX_PRICE) {
          log.error({ credits: call.credits, toolId: call.toolId }, 'a tool asked for an invalid price')
          throw new AppError('metering_unavailable', undefined, { retryAfterSeconds: 1 })
        }
        if (call.holdId !== undefined && !isHoldId(call.holdId)) throw new TypeError('A hold has another kind of id.')
        if (call.idempotency) checkIdempotencyKey(call.idempotency.key)
        return {
          kind: call.holdId === undefined ? 'call' : 'settle',
          call,
          ...digestsOf(call),
        }
      }) as Promise<CommitOutcome>,
  }
  return {
    ...acts,
    [charging]: acts,
    figures: commits.figures,
    // Calls of the other buckets can be served while one node is down.
    canCommit: () => probes.anyCanCommit([0, ...commits.buckets()]),
    async close() {
      void probes.close()
      await commits.close()
    },
  }
}

type Entry = Pick<PendingEntry, 'kind' | 'call' | 'terms'> &
  Partial<Pick<PendingEntry, 'idempotencyKey' | 'request' | 'answer'>>

const ofCaller = ({ accountId, bucket, keyId }: Pick<Caller, 'accountId' | 'bucket' | 'keyId'>) => ({
  accountId,
  bucket,
  keyId,
})

/** The outcome in a bucket without the account. */
const isOfStranger = (outcome: CommitOutcome | HoldChange): boolean =>
  outcome.kind === 'refused' && outcome.code === 'key_invalid'
