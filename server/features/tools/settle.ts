import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { isDemo } from '../keys/credentials.ts'
import { charging } from '../metering/charging.ts'
import type { CommitOutcome, MeteredCall, RateLimitState } from '../metering/meter.ts'
import type { BodyAnswer } from './define-tool.ts'
import type { ExecutedCall } from './execute.ts'
import type { PreparedCall } from './prepare.ts'
import { type Counted, price, rowsPriced } from './price.ts'
import { refusal } from './refusal.ts'
import { requestHash } from './request-hash.ts'
import type { Settled } from './stream/metered-stream.ts'
import { runStream } from './stream/run-stream.ts'

export interface ToolAnswer {
  /** A `Table` for table tools, a `BodyAnswer` for those of kind body. */
  output: unknown
  /** null if nothing was recorded: dry runs, unchanged answers, the demo key. */
  receiptId: string | null
  creditsCharged: number
  /** null if nothing was recorded. */
  creditsRemaining: number | null
  unlimited: boolean
  rateLimit: RateLimitState | null
  /** The idempotency key was already charged; this answer is free. */
  replayed: boolean
  /** The answer is a stream: so many credits are held, and it costs what `settled` says when it has ended. */
  streaming?: { held: number; settled: Promise<Settled> }
}

export type SettleDeps = Pick<Deps, 'config' | 'shop' | 'db' | 'log' | 'meter' | 'service'>

/** The last step: charges what was produced, durably before this resolves. Throws the refusal; then nothing was charged. */
export async function settle(deps: SettleDeps, prepared: PreparedCall, executed: ExecutedCall): Promise<ToolAnswer> {
  const { entry, caller, record } = prepared.call
  const { output, unchanged, bill, answerHash } = executed
  record.ranAtMs = performance.now()
  if (prepared.dryRun || isDemo(caller)) return free(prepared, output)
  if (unchanged) {
    await releaseHold(deps, prepared)
    return free(prepared, output)
  }
  if (bill?.credits === null) return settleLater(deps, prepared, output as StreamAnswer)
  const credits = bill ? bill.credits : price(entry.tool, output)
  const units = bill ? bill.units : rowsPriced(entry.tool, output)
  const outcome = await commit(deps, prepared, bill?.failed ? 'failed' : 'success', { credits, units }, answerHash)
  record.committedAtMs = performance.now()
  if (outcome.kind === 'refused') throw refusal(deps, outcome, credits)
  const { receiptId, creditsCharged, creditsRemaining, unlimited } = outcome
  const replayed = outcome.kind === 'replayed'
  record.receiptId = receiptId
  record.result = bill?.failed ? 'failed' : outcome.kind === 'replayed' ? 'replayed' : 'success'
  const { rateLimit } = prepared
  return { output, receiptId, creditsCharged, creditsRemaining, unlimited, rateLimit, replayed }
}

/**
 * Ends a call without an answer. Returns the error that the caller sees. What is the caller's mistake leaves no usage row; what failed
 * on our side leaves one with 0 credits, and its cause goes only to the log.
 */
export async function settleFailed(deps: SettleDeps, prepared: PreparedCall, cause: unknown): Promise<AppError> {
  const { entry, caller, record } = prepared.call
  record.ranAtMs = performance.now()
  if (cause instanceof AppError && cause.status < 500) {
    await releaseHold(deps, prepared)
    return cause
  }
  if (!isDemo(caller))
    await commit(deps, prepared, 'failed', { credits: 0 }).catch((error: Error) =>
      deps.log.error({ tool: entry.tool.name, error: error.message }, 'failed call not recorded'),
    )
  const known = cause instanceof AppError ? cause : null
  const reason = known ? known.cause : cause
  if (reason !== undefined)
    deps.log.error(
      { tool: entry.tool.name, error: reason instanceof Error ? (reason.stack ?? reason.message) : String(reason) },
      'tool failed',
    )
  return known ?? new AppError('internal_error', undefined, {}, { cause })
}

function free({ call: { record }, rateLimit }: PreparedCall, output: unknown): ToolAnswer {
  record.result = 'success'
  return {
    output,
    receiptId: null,
    creditsCharged: 0,
    creditsRemaining: null,
    unlimited: false,
    rateLimit,
    replayed: false,
  }
}

type StreamAnswer = Extract<BodyAnswer, { stream: unknown }>

/** Begins to deliver a stream, which is charged when it ends. */
async function settleLater(deps: SettleDeps, prepared: PreparedCall, output: StreamAnswer): Promise<ToolAnswer> {
  const { call, holdId } = prepared
  const { entry, caller, record, trailer = false } = call
  // Only now: a call that ended before it began to answer costs nothing.
  if (holdId !== undefined && entry.tool.unsettled === 'charge')
    await deps.meter[charging].chargeAtExpiry(caller, holdId, entry.id)
  const started = runStream(deps, entry.tool, output, caller, trailer, (status, counted) => {
    record.ranAtMs = performance.now()
    return commit(deps, prepared, status, counted)
  })
  const streaming = { held: holdId === undefined ? 0 : (entry.holds ?? 0), settled: started.settled }
  return { ...free(prepared, started.output), receiptId: started.receiptId, streaming }
}

function commit(
  { meter }: SettleDeps,
  { call: { entry, caller, record }, input, holdId, chargeKey }: PreparedCall,
  status: 'success' | 'failed',
  { credits, units }: Counted,
  answerHash?: string,
): Promise<CommitOutcome> {
  const isRepeatable = status === 'success' && chargeKey !== undefined
  const metered: MeteredCall = {
    accountId: caller.accountId,
    bucket: caller.bucket,
    keyId: caller.keyId,
    toolId: entry.id,
    credits,
    units,
    status,
    durationMs: Math.round(record.ranAtMs - record.admittedAtMs),
    ...(isRepeatable && {
      idempotency: {
        key: chargeKey,
        requestHash: requestHash(entry, input),
        ...(answerHash !== undefined && { answerHash: `${credits} ${answerHash}` }),
      },
    }),
    ...(holdId !== undefined && { holdId }),
  }
  const charge = status === 'success' && credits > 0 ? caller.payment?.charge : undefined
  return charge ? charge(metered) : meter[charging].commit(metered)
}

async function releaseHold({ meter }: SettleDeps, { call, holdId }: PreparedCall): Promise<void> {
  if (holdId !== undefined) await meter[charging].release(call.caller, holdId)
}
