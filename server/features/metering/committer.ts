import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Session } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { AccountQueues, type PendingEntry, type QueuedCalls } from './account-queues.ts'
import { type AccountAfter, type BatchRow, type BatchValues, encodeBatch, newBatchId, settleBatch } from './batch.ts'
import { BatchConnection, BatchNotSent, BatchRefused, type BatchTimeouts, BatchUnknown } from './batch-connection.ts'
import type { GivenUpBatches } from './given-up.ts'
import type { MeterFigures } from './meter.ts'

export interface CommitterOptions {
  bucket: number
  session: () => Session
  /** Batches in flight at once. */
  batches: number
  /** Maximum calls in one batch. */
  batchSize: number
  /** Maximum calls waiting or in flight; more are refused at once. */
  maxQueued: number
  /** A call without an outcome after this time gets 503. */
  callDeadlineMs: number
  timeouts: BatchTimeouts
  log: Logger
  givenUp: GivenUpBatches
  /** Called when a batch is voided here, before it is forgotten: its accounts may have moved to another bucket meanwhile. */
  voided: (batch: string) => Promise<void>
  /** Receives each batch that was committed, and how long that took. */
  committed: (calls: number, ms: number) => void
  /** Receives the state of each account after its batch. */
  seen: (taken: QueuedCalls, after: AccountAfter) => void
}

const RESEND_DELAY_MS = 100
const VOID_RETRY_MS = 1_000
/**
 * With this many calls, or when it is full, a batch goes at once, also beside another: fewer cost PostgreSQL more than they would wait.
 * Not at the end of the event loop's turn, which may read a hundred requests, so that PostgreSQL works meanwhile.
 */
const ENOUGH = 24

/** The group commits of one bucket: calls that finish together are written together, one statement per batch. */
export class Committer {
  readonly #options: CommitterOptions
  readonly #queues = new AccountQueues()
  readonly #idle: BatchConnection[]
  readonly #voids = new Set<string>()
  readonly #enough: number
  #scheduled = false
  #closing = false
  #voiding: Promise<void> | null = null
  #drained: (() => void) | null = null
  #batches = 0
  #settled = 0
  #unavailable = 0

  constructor(options: CommitterOptions) {
    this.#options = options
    this.#enough = Math.min(ENOUGH, options.batchSize)
    this.#idle = Array.from({ length: options.batches }, () => new BatchConnection(options.session, options.timeouts))
    for (const { bucket, batch } of options.givenUp.left()) if (bucket === options.bucket) this.#void(batch)
  }

  add(pending: PendingEntry): void {
    if (this.#closing || this.#queues.size >= this.#options.maxQueued) this.#refuse(pending)
    else {
      this.#queues.add(pending)
      if (this.#queues.ready >= this.#enough) this.#pump()
      else this.#schedule()
    }
  }

  markCreditsChanged(accountId: number): void {
    this.#queues.markCreditsChanged(accountId)
  }

  figures(): MeterFigures {
    return {
      waiting: this.#queues.size,
      batches: this.#batches,
      settled: this.#settled,
      unavailable: this.#unavailable,
    }
  }

  /** Waits for every call's outcome, then closes the connections. */
  async close(): Promise<void> {
    this.#closing = true
    if (this.#queues.size > 0) await new Promise<void>((done) => (this.#drained = done))
    await this.#voiding
    await Promise.all(this.#idle.map((connection) => connection.close()))
  }

  // Calls that arrive in the same turn of the event loop share a batch, or several.
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#pump()
    })
  }

  #pump(): void {
    const { batches, batchSize } = this.#options
    while (this.#queues.ready > 0) {
      if (this.#idle.length < batches && this.#queues.ready < this.#enough) return
      const connection = this.#idle.pop()
      if (!connection) return
      const taken = this.#queues.take(batchSize)
      void this.#commit(connection, taken).finally(() => {
        this.#queues.release(taken)
        this.#idle.push(connection)
        if (this.#queues.size === 0) this.#drained?.()
        this.#pump()
      })
    }
  }

  async #commit(connection: BatchConnection, queues: readonly QueuedCalls[]): Promise<void> {
    const live = this.#rejectLate(queues)
    const first = live[0]
    if (!first) return
    const batch = newBatchId()
    const deadlineMs =
      live.reduce((oldest, { calls }) => Math.min(oldest, calls[0]!.arrivedAtMs), Number.POSITIVE_INFINITY) +
      this.#options.callDeadlineMs
    try {
      const startedAtMs = performance.now()
      const row = await this.#sendUntilKnown(connection, batch, encodeBatch(live), deadlineMs)
      settleBatch(batch, row, live, this.#options.seen)
      this.#batches++
      this.#settled += count(live)
      this.#options.committed(count(live), performance.now() - startedAtMs)
    } catch (error) {
      if (error instanceof BatchRefused && mayBeOneCall(error)) {
        const [left, right] = halves(live)
        if (left && right) {
          await this.#commit(connection, left)
          return this.#commit(connection, right)
        }
      }
      // A batch that was refused or never sent has no effect. Any other may have one, which must not remain after the
      // 503.
      if (!(error instanceof BatchRefused || error instanceof BatchNotSent)) this.#giveUp(batch)
      const reason = error instanceof Error ? error : new Error(String(error))
      this.#options.log.error(
        { batch, accountId: first.queue.accountId, calls: count(live), reason: reason.message },
        'calls could not be committed',
      )
      for (const { calls } of live) for (const pending of calls) this.#refuse(pending, reason)
    }
  }

  #refuse(pending: PendingEntry, cause?: Error): void {
    this.#unavailable++
    pending.reject(unavailable(cause))
  }

  /** Sends the same id again while the outcome is unknown, until the deadline. */
  async #sendUntilKnown(
    connection: BatchConnection,
    batch: string,
    values: BatchValues,
    deadlineMs: number,
  ): Promise<BatchRow> {
    let unknown: BatchUnknown | null = null
    for (;;) {
      try {
        return await connection.send(batch, values)
      } catch (error) {
        // After an unknown outcome a refusal proves nothing: the previous statement may be holding the locks.
        if (error instanceof BatchRefused && !unknown) throw error
        if (error instanceof BatchUnknown) unknown = error
        if (Date.now() + RESEND_DELAY_MS >= deadlineMs || (this.#closing && !unknown)) throw unknown ?? error
        this.#options.log.warn({ batch, reason: String(error) }, 'sending a batch again to learn its outcome')
        await sleep(RESEND_DELAY_MS)
      }
    }
  }

  #rejectLate(queues: readonly QueuedCalls[]): readonly QueuedCalls[] {
    const oldest = Date.now() - this.#options.callDeadlineMs
    // Calls of a queue are in arrival order.
    if (queues.every(({ calls }) => calls[0]!.arrivedAtMs > oldest)) return queues
    const kept: QueuedCalls[] = []
    for (const { queue, calls } of queues) {
      const live = calls.filter((pending) => pending.arrivedAtMs > oldest)
      for (const pending of calls) if (pending.arrivedAtMs <= oldest) this.#refuse(pending)
      if (live.length > 0) kept.push({ queue, calls: live })
    }
    return kept
  }

  /** Recorded before the callers get their 503. */
  #giveUp(batch: string): void {
    this.#options.givenUp.note({ bucket: this.#options.bucket, batch })
    this.#void(batch)
  }

  #void(batch: string): void {
    this.#voids.add(batch)
    this.#voiding ??= this.#voidAll().finally(() => {
      this.#voiding = null
    })
  }

  async #voidAll(): Promise<void> {
    const connection = new BatchConnection(this.#options.session, this.#options.timeouts)
    while (this.#voids.size > 0) {
      try {
        for (const batch of this.#voids) {
          await connection.void(batch)
          await this.#options.voided(batch)
          this.#voids.delete(batch)
          this.#options.givenUp.forget({ bucket: this.#options.bucket, batch })
          this.#options.log.warn({ batch }, 'voided a batch with unknown outcome: nothing of it is charged')
        }
      } catch (error) {
        if (this.#closing) {
          this.#options.log.error(
            { batches: [...this.#voids], reason: String(error) },
            'stopped before these batches could be voided: the next server that starts in this data directory will void them',
          )
          break
        }
        await sleep(VOID_RETRY_MS)
      }
    }
    await connection.close()
  }
}

const unavailable = (cause?: Error): AppError =>
  new AppError('metering_unavailable', undefined, { retryAfterSeconds: 1 }, { cause })

const count = (queues: readonly QueuedCalls[]): number => queues.reduce((sum, { calls }) => sum + calls.length, 0)

/** Whether a single call or a locked account may be the cause, rather than the whole database. */
const mayBeOneCall = ({ sqlState }: BatchRefused): boolean => !/^(53|58|XX)/.test(sqlState)

/** Two batches of about equal size, in order; empty for a single call, which cannot be divided. */
function halves(queues: readonly QueuedCalls[]): [QueuedCalls[], QueuedCalls[]] | [] {
  let room = count(queues) >> 1
  if (room === 0) return []
  const left: QueuedCalls[] = []
  const right: QueuedCalls[] = []
  for (const { queue, calls } of queues) {
    if (room > 0) left.push({ queue, calls: calls.slice(0, room) })
    if (calls.length > room) right.push({ queue, calls: calls.slice(room) })
    room = Math.max(0, room - calls.length)
  }
  return [left, right]
}
