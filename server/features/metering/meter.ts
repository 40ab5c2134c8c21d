import type { Charging, charging } from './charging.ts'

/** A finished call, ready to be charged. `credits` is its price, an integer from 0; failed calls cost 0. */
export interface MeteredCall {
  accountId: number
  /** Where the account was when the caller was identified. */
  bucket: number
  /** null: the playground, on behalf of the user. */
  keyId: number | null
  toolId: number
  credits: number
  /** What a variable price counted: rows, units or KiB. Absent: nothing. */
  units?: number | undefined
  status: 'success' | 'failed'
  durationMs: number
  /**
   * The client's key (1 to 200 characters, for this account, 24 hours) and a digest of the request. Ignored for failed calls. With a digest
   * of the answer, a repeat with another one is refused as `data_changed`.
   */
  idempotency?: { key: string; requestHash: string; answerHash?: string }
  /** The hold of this call, which its commit settles: `credits` are charged, and the rest is returned. */
  holdId?: string
}

export type RefusalCode =
  | 'insufficient_credits'
  | 'key_budget_exceeded'
  | 'key_invalid'
  | 'account_suspended'
  | 'idempotency_mismatch'
  | 'data_changed'

/** The outcome of a call. `charged` and `replayed` are durable when the promise settles. */
export type CommitOutcome =
  | { kind: 'charged'; receiptId: string; creditsCharged: number; creditsRemaining: number; unlimited: boolean }
  /** The idempotency key was already charged: nothing is charged now, and `receiptId` is the first call's. */
  | { kind: 'replayed'; receiptId: string; creditsCharged: 0; creditsRemaining: number; unlimited: boolean }
  | { kind: 'refused'; code: RefusalCode; creditsRemaining: number }

/** What a hold reserves, and how it ends if its call is never settled. */
export interface HoldTerms {
  /** Credits, an integer from 0. The final charge may be less, or more if the account has it. */
  most: number
  /** How long the hold lasts without a settlement: 1 to 3,600. */
  seconds: number
  idempotencyKey?: string
  /** `charge`: an expired hold is charged in full, as a call of `toolId`. Released unless stated. */
  onExpiry?: 'release' | 'charge'
  /** Needed with `onExpiry: 'charge'`. */
  toolId?: number
}

/** The outcome of a request to hold credits. `id` goes into the call's commit. */
export type HoldOutcome =
  /** `creditsRemaining`: beside the hold. */
  | { kind: 'held'; id: string; creditsRemaining: number; unlimited: boolean }
  | { kind: 'refused'; code: RefusalCode; creditsRemaining: number }

/** The caller, as `admit` needs it. */
export interface Caller {
  accountId: number
  /** The bucket of the account's metering tables. */
  bucket: number
  keyId: number | null
  /** Requests per minute of the account; null: no limit. */
  rateLimitPerMinute: number | null
  /** Requests per minute of the key, in addition to the account's; null or absent: no limit. */
  keyRateLimitPerMinute?: number | null
  /** The call is paid by itself, not from what the account has. */
  payment?: CallPayment
}

/** How one call is paid. */
export interface CallPayment {
  /** Of its charge, and of the repeats of that. */
  idempotencyKey: string
  /**
   * Takes the money, then charges the call; nothing may be sent before it resolves. Absent: the call repeats one that was paid. Throws
   * AppError payment_required, payment_settlement_unknown.
   */
  charge?: (call: MeteredCall) => Promise<CommitOutcome>
}

export interface RateLimitState {
  /** The subject of the limit: the one with fewer requests left. */
  policy: 'account' | 'key'
  limit: number
  remaining: number
  resetSeconds: number
}

/** The meter as the rest of the product sees it. Charging is behind `charging`, which few files may import. */
export interface Meter {
  readonly [charging]: Charging
  /** Whether calls can be committed now, by a real commit that records nothing. Resolves within a second. */
  canCommit: () => Promise<boolean>
  /** What this process has committed so far, for the operator. */
  figures: () => MeterFigures
  /** Waits for calls in flight, then stops. */
  close: () => Promise<void>
}

export interface MeterFigures {
  /** Calls that are waiting for their outcome. */
  waiting: number
  batches: number
  /** Calls with a known outcome: charged, replayed or refused. */
  settled: number
  /** Calls that were answered metering_unavailable. */
  unavailable: number
}
