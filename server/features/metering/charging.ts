import type { Caller, CommitOutcome, HoldOutcome, HoldTerms, MeteredCall, RateLimitState } from './meter.ts'

/**
 * Gives access to the part of the meter that admits and charges: `deps.meter[charging]`. `npm run verify` rejects this
 * import outside `tools/prepare.ts`, `tools/settle.ts` and `meter-door/charge-door-call.ts`, so that nothing else can charge a call.
 * Calls that a payment has paid are charged by `commit-paid.ts`, for `agent-payments/record-settled.ts` alone.
 */
export const charging = Symbol('charging')

/** The three steps of a metered call. */
export interface Charging {
  /**
   * Before the work: rate limit, suspension, and the last known balance (an account known to be empty is refused
   * without work). Throws AppError rate_limited | insufficient_credits | account_suspended. Returns the state of the
   * limit. Pass the call's `idempotencyKey`, if any: a call that was already charged is let through to its free repeat
   * even if the account is empty now.
   */
  admit: (
    caller: Caller,
    maximumCredits: number,
    idempotencyKey?: string,
  ) => Promise<RateLimitState | null> | RateLimitState | null
  /**
   * Between the two, for slow or costly calls: sets `most` credits aside, so that no other call can spend them. The
   * call's commit settles the difference; without one the hold ends after its seconds. Null: no hold is needed, because
   * `idempotencyKey` was already charged. Throws metering_unavailable; then no hold is left in the end.
   */
  hold: (caller: Pick<Caller, 'accountId' | 'bucket' | 'keyId'>, hold: HoldTerms) => Promise<HoldOutcome | null>
  /**
   * Releases the hold of a call that was not carried out and is not recorded. False: it had ended before, or the
   * database did not respond, and it will expire. Never throws.
   */
  release: (caller: Pick<Caller, 'accountId' | 'bucket'>, holdId: string) => Promise<boolean>
  /**
   * From now on the hold is charged in full, as a call of `toolId`, if it is never settled. Never throws: where the database does not
   * respond, it is released as before.
   */
  chargeAtExpiry: (caller: Pick<Caller, 'accountId' | 'bucket'>, holdId: string, toolId: number) => Promise<void>
  /**
   * After the work: decides and records, durably before it resolves. Throws AppError metering_unavailable; then nothing
   * is charged, so serve nothing. Failed calls are recorded with 0 credits whatever `credits` says. With a `holdId` it
   * settles the hold, exactly once: a second settlement, or one after a hold was charged at its expiry, is answered
   * `replayed` with the receipt of the first for 24 hours. After a release it is decided on what the account has.
   */
  commit: (call: MeteredCall) => Promise<CommitOutcome>
}
