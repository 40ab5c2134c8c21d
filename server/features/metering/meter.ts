/** One finished call, ready to be charged. `credits` is its price, a whole number from 0; failed calls cost 0. */
export interface MeteredCall {
  accountId: number
  /** null: the playground, acting for the user. */
  keyId: number | null
  toolId: number
  credits: number
  status: 'success' | 'failed'
  durationMs: number
  /** The client's key (1 to 200 characters, for this account, 24 hours) and a digest of the request. Ignored for failed calls. */
  idempotency?: { key: string; requestHash: string }
  /** What `hold` set aside for this call: given back and settled by its commit. */
  holdId?: string
}

export type RefusalCode =
  | 'insufficient_credits'
  | 'key_budget_exceeded'
  | 'key_invalid'
  | 'account_suspended'
  | 'idempotency_mismatch'

/** What became of a call. `charged` and `replayed` are on disk when the promise settles. */
export type CommitOutcome =
  | { kind: 'charged'; receiptId: string; creditsCharged: number; creditsRemaining: number; unlimited: boolean }
  /** The same idempotency key was charged before: nothing is charged now, `receiptId` is the first one's. */
  | { kind: 'replayed'; receiptId: string; creditsCharged: 0; creditsRemaining: number; unlimited: boolean }
  | { kind: 'refused'; code: RefusalCode; creditsRemaining: number }

/** What became of the wish to set credits aside; `id` goes into the call's commit. */
export type HoldOutcome =
  | { kind: 'held'; id: string }
  | { kind: 'refused'; code: RefusalCode; creditsRemaining: number }

/** Who calls, as `admit` needs it. */
export interface Caller {
  accountId: number
  keyId: number | null
  /** Requests per minute of the account; null: no limit. */
  rateLimitPerMinute: number | null
  /** Requests per minute of the key, beside the account's; null or absent: none of its own. */
  keyRateLimitPerMinute?: number | null
}

export interface RateLimitState {
  /** Whose limit it is: of the two, the one that has less left. */
  policy: 'account' | 'key'
  limit: number
  remaining: number
  resetSeconds: number
}

export interface Meter {
  /**
   * Before the work: rate limit, suspension, and the balance last seen (an account known to be empty is refused
   * without work). Throws AppError rate_limited | insufficient_credits | account_suspended. Returns the limit's state.
   * Pass `idempotencyKey` when the call has one: a call that was charged before is let through to its free repeat,
   * although the account is empty now.
   */
  admit: (
    caller: Caller,
    maximumCredits: number,
    idempotencyKey?: string,
  ) => Promise<RateLimitState | null> | RateLimitState | null
  /**
   * Between the two, for calls whose work is slow or costly: sets `most` credits aside, so that no other call can spend
   * them. The commit of the call settles the difference; without one the hold ends after `seconds`. Null: nothing needs to
   * be held, because `idempotencyKey` was charged before. Throws metering_unavailable.
   */
  hold: (
    caller: Pick<Caller, 'accountId' | 'keyId'>,
    hold: { most: number; seconds: number; idempotencyKey?: string },
  ) => Promise<HoldOutcome | null>
  /** Gives a hold back whose call is not committed: it was not carried out, and is not recorded. */
  release: (holdId: string) => Promise<void>
  /**
   * After the work: decides and records, durable before it resolves. Throws AppError metering_unavailable, and then
   * nothing is charged: serve nothing. Failed calls are recorded with 0 credits whatever `credits` says.
   */
  commit: (call: MeteredCall) => Promise<CommitOutcome>
  /** What this process has committed so far, for its operator. */
  figures: () => MeterFigures
  /** Waits for calls under way, then stops. */
  close: () => Promise<void>
}

export interface MeterFigures {
  /** Calls that wait for their outcome at this moment. */
  waiting: number
  batches: number
  /** Calls whose outcome was found: charged, repeated or refused. */
  settled: number
  /** Calls that were answered metering_unavailable. */
  unavailable: number
}
