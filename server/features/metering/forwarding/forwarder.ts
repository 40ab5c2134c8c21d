import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Session } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import type { PendingEntry } from '../account-queues.ts'
import { newBatchId } from '../batch.ts'
import { BatchConnection, type BatchTimeouts } from '../batch-connection.ts'
import { claimParcel } from './claim-parcel.ts'
import { isNonce, isProof, newNonce, prove, type SharedSecret } from './handshake.ts'
import { parseLine, readLines } from './lines.ts'
import type { TakeBack } from './take-back.ts'
import { type AccountHint, readAnswer, writeParcel } from './wire.ts'

export interface ForwarderOptions {
  bucket: number
  /** The socket of the process that commits for the bucket. */
  path: string
  shared: SharedSecret
  /** Commits in this process. */
  local: { add: (pending: PendingEntry) => void }
  session: () => Session
  timeouts: BatchTimeouts
  callDeadlineMs: number
  parcelSize: number
  /** Maximum calls without an outcome; more are refused at once. */
  maxQueued: number
  log: Logger
  takeBack: Pick<TakeBack, 'giveUp'>
  hint: (...hint: AccountHint) => void
}

interface SentParcel {
  id: string
  entries: PendingEntry[]
  late: NodeJS.Timeout
  /** Accounts whose credits changed after it was sent. */
  changed: Set<number>
}

/** One is committed while the other waits. */
const MOST_SENT = 2
const RECONNECT_MS = 1_000
const HANDSHAKE_MS = 2_000
const CLAIM_RETRY_MS = 100

/**
 * Sends the calls of one bucket to the process that commits for it. Without a connection they are committed here. If it breaks, what was
 * committed is looked up in the database, and the rest is committed here: docs/decisions/0115-commits-are-forwarded.md.
 */
export class Forwarder {
  readonly #options: ForwarderOptions
  readonly #sent = new Map<string, SentParcel>()
  readonly #connection: BatchConnection
  #waiting: PendingEntry[] = []
  #socket: Socket | null = null
  #connecting: Socket | null = null
  #retryAtMs = 0
  #scheduled = false
  #closing = false
  #size = 0
  #recovering: Promise<void> = Promise.resolve()
  #drained: (() => void) | null = null
  #forwarded = 0
  #fallbacks = 0
  #unavailable = 0

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#connection = new BatchConnection(options.session, options.timeouts)
  }

  add(pending: PendingEntry): void {
    if (!this.#socket || this.#closing) {
      this.#connect()
      this.#commitHere(pending)
    } else if (this.#size >= this.#options.maxQueued) this.#refuse(pending)
    else {
      this.#size++
      this.#waiting.push(pending)
      this.#schedule()
    }
  }

  markCreditsChanged(accountId: number): void {
    for (const parcel of this.#sent.values()) parcel.changed.add(accountId)
  }

  /** `waiting`: without an outcome, including those that the other process has. */
  figures() {
    return {
      waiting: this.#size,
      forwarded: this.#forwarded,
      fallbacks: this.#fallbacks,
      unavailable: this.#unavailable,
    }
  }

  /** Waits for every call's outcome, except those that are committed here. */
  async close(): Promise<void> {
    this.#closing = true
    if (this.#size > 0) await new Promise<void>((done) => (this.#drained = done))
    await this.#recovering
    this.#connecting?.destroy()
    this.#socket?.end()
    await this.#connection.close()
  }

  #connect(): void {
    if (this.#connecting || this.#closing || Date.now() < this.#retryAtMs) return
    const { bucket, path, shared, log } = this.#options
    const nonce = newNonce()
    const socket = connect(path)
    this.#connecting = socket
    const late = setTimeout(() => socket.destroy(), HANDSHAKE_MS)
    socket.on('error', () => {})
    socket.on('connect', () => socket.write(`${JSON.stringify([nonce, bucket])}\n`))
    socket.on('close', () => {
      clearTimeout(late)
      this.#lost(socket)
    })
    readLines(socket, (line) => {
      const body = parseLine(line)
      if (this.#socket === socket) return this.#answered(body)
      const [owner, proof] = Array.isArray(body) ? (body as unknown[]) : []
      if (!isNonce(owner) || !isProof(proof, shared, 'owner', nonce, owner)) {
        log.warn({ path }, 'the process that should commit has another secret, database or release')
        return false
      }
      clearTimeout(late)
      socket.write(`${JSON.stringify([prove(shared, 'sender', nonce, owner)])}\n`)
      this.#connecting = null
      this.#socket = socket
      return true
    })
  }

  #lost(socket: Socket): void {
    if (this.#connecting === socket) this.#connecting = null
    this.#retryAtMs = Date.now() + RECONNECT_MS
    if (this.#socket !== socket) return
    this.#socket = null
    const parcels = [...this.#sent.values()]
    this.#sent.clear()
    const unsent = this.#waiting
    this.#waiting = []
    for (const { late } of parcels) clearTimeout(late)
    if (parcels.length > 0)
      this.#options.log.warn({ parcels: parcels.length }, 'lost the process that commits: looking up what it committed')
    for (const pending of unsent) this.#commitHere(pending)
    this.#settled(unsent.length)
    for (const parcel of parcels) this.#recovering = this.#recovering.then(() => this.#recover(parcel))
  }

  // Calls that finish in the same turn of the event loop share a parcel.
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#send()
    })
  }

  #send(): void {
    const { parcelSize, callDeadlineMs } = this.#options
    while (this.#socket && this.#waiting.length > 0 && this.#sent.size < MOST_SENT) {
      const socket = this.#socket
      const entries = this.#waiting.length <= parcelSize ? this.#waiting : this.#waiting.slice(0, parcelSize)
      this.#waiting = entries === this.#waiting ? [] : this.#waiting.slice(parcelSize)
      const id = newBatchId()
      // The last quarter of the oldest call's time is for looking it up.
      const leftMs = entries[0]!.arrivedAtMs + callDeadlineMs * 0.75 - Date.now()
      const late = setTimeout(() => socket.destroy(), Math.max(0, leftMs))
      this.#sent.set(id, { id, entries, late, changed: new Set() })
      this.#forwarded += entries.length
      socket.write(writeParcel(id, entries))
    }
  }

  /** False: the connection is of no use. */
  #answered(body: unknown): boolean {
    const answer = readAnswer(body)
    const parcel = answer && this.#sent.get(answer.id)
    if (!parcel || (answer.outcomes && answer.outcomes.length !== parcel.entries.length)) {
      this.#options.log.warn('dropped the process that commits: it answered something else')
      return false
    }
    clearTimeout(parcel.late)
    this.#sent.delete(parcel.id)
    for (const [index, pending] of parcel.entries.entries()) {
      const outcome = answer.outcomes ? answer.outcomes[index] : undefined
      if (outcome === undefined) this.#commitHere(pending)
      else if (outcome === null) this.#refuse(pending)
      else pending.resolve(outcome)
    }
    for (const hint of answer.hints) if (!parcel.changed.has(hint[0])) this.#options.hint(...hint)
    this.#settled(parcel.entries.length)
    this.#send()
    return true
  }

  async #recover({ id, entries }: SentParcel): Promise<void> {
    const { callDeadlineMs, log } = this.#options
    const deadlineMs = entries[0]!.arrivedAtMs + callDeadlineMs
    for (;;) {
      try {
        const outcomes = await claimParcel(this.#connection, id, entries)
        for (const [index, pending] of entries.entries()) {
          const outcome = outcomes[index]
          if (outcome === undefined) this.#commitHere(pending)
          else if (outcome === null) this.#refuse(pending)
          else pending.resolve(outcome)
        }
        break
      } catch (error) {
        if (Date.now() + CLAIM_RETRY_MS >= deadlineMs) {
          log.error({ parcel: id, calls: entries.length, reason: String(error) }, 'calls could not be committed')
          this.#options.takeBack.giveUp(id)
          for (const pending of entries) this.#refuse(pending, error)
          break
        }
        await sleep(CLAIM_RETRY_MS)
      }
    }
    this.#settled(entries.length)
  }

  #commitHere(pending: PendingEntry): void {
    this.#fallbacks++
    this.#options.local.add(pending)
  }

  #refuse(pending: PendingEntry, cause?: unknown): void {
    this.#unavailable++
    pending.reject(new AppError('metering_unavailable', undefined, { retryAfterSeconds: 1 }, { cause }))
  }

  #settled(calls: number): void {
    this.#size -= calls
    if (this.#size === 0) this.#drained?.()
  }
}
