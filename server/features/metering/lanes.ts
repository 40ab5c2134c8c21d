import type { CommitOutcome, MeteredCall } from './meter.ts'

/** A call that waits for its outcome. */
export interface PendingCall {
  call: MeteredCall
  /** Digests of the idempotency key and the request; undefined without a key. */
  idempotencyKey: string | undefined
  request: string | undefined
  arrivedAtMs: number
  resolve: (outcome: CommitOutcome) => void
  reject: (error: Error) => void
}

/** The calls of one account. At most one batch carries calls of a lane at a time, so arrival order holds. */
export interface Lane {
  accountId: number
  waiting: PendingCall[]
  inFlight: boolean
  /** The account's credits changed since its batch was sent: what that batch saw may be old. */
  creditsChanged: boolean
}

/** A lane's share of a batch. */
export interface LaneCalls {
  lane: Lane
  calls: PendingCall[]
}

/** Waiting calls by account, and the order in which lanes are served: first come, then round robin. */
export class Lanes {
  readonly #lanes = new Map<number, Lane>()
  #ready: Lane[] = []
  /** Calls waiting or under way. */
  size = 0

  add(pending: PendingCall): void {
    const { accountId } = pending.call
    let lane = this.#lanes.get(accountId)
    if (!lane) {
      lane = { accountId, waiting: [], inFlight: false, creditsChanged: false }
      this.#lanes.set(accountId, lane)
    }
    if (lane.waiting.push(pending) === 1 && !lane.inFlight) this.#ready.push(lane)
    this.size++
  }

  get ready(): boolean {
    return this.#ready.length > 0
  }

  /** Takes up to `max` calls, grouped by account, accounts ascending. */
  take(max: number): LaneCalls[] {
    const taken: LaneCalls[] = []
    let room = max
    let served = 0
    for (const lane of this.#ready) {
      if (room === 0) break
      const calls = lane.waiting.length <= room ? lane.waiting : lane.waiting.slice(0, room)
      lane.waiting = calls === lane.waiting ? [] : lane.waiting.slice(room)
      lane.inFlight = true
      lane.creditsChanged = false
      room -= calls.length
      taken.push({ lane, calls })
      served++
    }
    this.#ready = served === this.#ready.length ? [] : this.#ready.slice(served)
    return taken.sort((a, b) => a.lane.accountId - b.lane.accountId)
  }

  /** Puts the lanes of a finished batch back in line. */
  release(taken: readonly LaneCalls[]): void {
    for (const { lane, calls } of taken) {
      this.size -= calls.length
      lane.inFlight = false
      if (lane.waiting.length > 0) this.#ready.push(lane)
      else this.#lanes.delete(lane.accountId)
    }
  }

  markCreditsChanged(accountId: number): void {
    const lane = this.#lanes.get(accountId)
    if (lane) lane.creditsChanged = true
  }
}
