import type { CommitOutcome, MeteredCall } from './meter.ts'

/** What an entry of a batch does. A settlement is the call of a hold. */
export type EntryKind = 'call' | 'hold' | 'settle' | 'release'

/** The outcome of an entry that is no call. `ended`: the hold to release had ended before. */
export interface HoldChange {
  kind: 'held' | 'released' | 'ended'
  creditsRemaining: number
  unlimited: boolean
}

/** An entry of a batch that is waiting for its outcome. */
export interface PendingEntry {
  kind: EntryKind
  /** Of a hold and a release: as if it were a call, of the most or of nothing. `holdId` names the hold. */
  call: MeteredCall
  /** Of a hold: its seconds, and the tool as which it is charged when it expires; null: it is released. */
  terms?: { seconds: number; chargeAs: number | null }
  /** Digests of the idempotency key and the request; undefined without a key. */
  idempotencyKey: string | undefined
  request: string | undefined
  /** Digest of the answer that a repeat must have; undefined: any. */
  answer: string | undefined
  arrivedAtMs: number
  resolve: (outcome: CommitOutcome | HoldChange) => void
  reject: (error: Error) => void
}

/** The calls of one account. At most one batch carries calls of a queue at a time, which preserves arrival order. */
export interface AccountQueue {
  accountId: number
  waiting: PendingEntry[]
  inFlight: boolean
  /** The account's credits changed after its batch was sent, so what that batch read may be stale. */
  creditsChanged: boolean
}

/** A queue's share of a batch. */
export interface QueuedCalls {
  queue: AccountQueue
  calls: PendingEntry[]
}

/** Waiting calls by account. Queues are served first come, first served, then round robin. */
export class AccountQueues {
  readonly #queues = new Map<number, AccountQueue>()
  #ready: AccountQueue[] = []
  /** Calls waiting or in flight. */
  size = 0
  /** Calls that a batch could take now. */
  ready = 0

  add(pending: PendingEntry): void {
    const { accountId } = pending.call
    let queue = this.#queues.get(accountId)
    if (!queue) {
      queue = { accountId, waiting: [], inFlight: false, creditsChanged: false }
      this.#queues.set(accountId, queue)
    }
    if (queue.waiting.push(pending) === 1 && !queue.inFlight) this.#ready.push(queue)
    if (!queue.inFlight) this.ready++
    this.size++
  }

  /** Takes up to `max` calls, grouped by account, accounts ascending. */
  take(max: number): QueuedCalls[] {
    const taken: QueuedCalls[] = []
    let room = max
    let served = 0
    for (const queue of this.#ready) {
      if (room === 0) break
      const calls = queue.waiting.length <= room ? queue.waiting : queue.waiting.slice(0, room)
      queue.waiting = calls === queue.waiting ? [] : queue.waiting.slice(room)
      queue.inFlight = true
      queue.creditsChanged = false
      room -= calls.length
      // What is left of the queue waits for this batch.
      this.ready -= calls.length + queue.waiting.length
      taken.push({ queue, calls })
      served++
    }
    this.#ready = served === this.#ready.length ? [] : this.#ready.slice(served)
    return taken.sort((a, b) => a.queue.accountId - b.queue.accountId)
  }

  /** Puts the queues of a finished batch back in line. */
  release(taken: readonly QueuedCalls[]): void {
    for (const { queue, calls } of taken) {
      this.size -= calls.length
      queue.inFlight = false
      this.ready += queue.waiting.length
      if (queue.waiting.length > 0) this.#ready.push(queue)
      else this.#queues.delete(queue.accountId)
    }
  }

  markCreditsChanged(accountId: number): void {
    const queue = this.#queues.get(accountId)
    if (queue) queue.creditsChanged = true
  }
}
