import type { Deps } from '../../deps.ts'
import type { CallRecord } from '../../http/call-record.ts'
import { AppError } from '../../http/errors.ts'
import { requirePlan } from '../entitlement/require-plan.ts'
import { isDemo } from '../keys/credentials.ts'
import { charging } from '../metering/charging.ts'
import type { Caller, RateLimitState } from '../metering/meter.ts'
import type { CallClient } from './define-tool.ts'
import { takeDryRun } from './dry-run.ts'
import { refusal } from './refusal.ts'
import type { RegisteredTool } from './register-tool.ts'

const NOT_FOR_DEMO = 'The demo key cannot call this. Create a free account to get your own key.'
const NOT_PARSED = Object.freeze({})
const KEY = /^[\x21-\x7e]{1,200}$/

export interface ToolCall {
  entry: RegisteredTool
  /** As the caller sent it. */
  input: unknown
  caller: Caller
  /** Notes when each stage ended. */
  record: CallRecord
  /** Passed `readIdempotencyKey`. */
  idempotencyKey?: string
  /** Rows are streamed as they are produced; see `ToolContext`. */
  streams?: boolean
  client?: CallClient
  /** `dry_run` may also apply to tools that return a value: the surface does not promise the shape of that value. */
  estimatesValues?: boolean
  /** The answer goes to an AI client. */
  forAi?: boolean
  /** The same question was answered from the same data before. It is not parsed and run again. */
  answered?: AnsweredCall | undefined
  /** The client wants the final charge of a stream as its last event or line. */
  trailer?: boolean
  /**
   * Turns the output into what is sent, before it is charged: rows that cannot be sent, or are cut off, are free.
   * `unchanged`: the caller already has it, and pays nothing.
   */
  shape?: (output: unknown, parsed: Record<string, unknown>) => { output: unknown; unchanged?: boolean }
}

export interface AnsweredCall {
  /** Parsed. */
  input: Record<string, unknown>
  /** As the tool made it. */
  output: unknown
}

/** A call whose work may begin. */
export interface PreparedCall {
  call: ToolCall
  /** Parsed. */
  input: Record<string, unknown>
  dryRun: boolean
  rateLimit: RateLimitState | null
  /** The credits that are set aside for it. */
  holdId: string | undefined
  /** The idempotency key of the charge: the client's key, or, where answers are kept, an id that is stored with the kept answer. */
  chargeKey: string | undefined
  /** The client's idempotency key, for tools whose answers are kept. */
  answerKey: string | undefined
  /** Why the tool may not run. The call may still get an answer that was kept for it, because it may have been charged for that. */
  refusal: AppError | undefined
  /** Call it when the call has ended. */
  leave: () => void
}

export type PrepareDeps = Pick<Deps, 'config' | 'shop' | 'limiter' | 'meter' | 'plansOf' | 'pressure'>

/**
 * The first step: admits the call, parses the input, checks the account's plan and sets credits aside. Throws AppError; then the call leaves no trace but its count
 * against the rate limit. Returns synchronously when it can.
 */
export function prepare(deps: PrepareDeps, call: ToolCall): PreparedCall | Promise<PreparedCall> {
  const { entry, caller, idempotencyKey: key } = call
  if (entry.tool.kind === 'body' && isDemo(caller)) throw new AppError('forbidden', NOT_FOR_DEMO)
  const { dryRun, input } = takeDryRunOf(call)
  const keepsAnswer = entry.keeps === 'answer'
  const prepared: PreparedCall = {
    call,
    input: NOT_PARSED,
    dryRun,
    rateLimit: null,
    holdId: undefined,
    chargeKey: keepsAnswer ? undefined : key,
    answerKey: keepsAnswer && !dryRun ? key : undefined,
    refusal: undefined,
    leave: () => {},
  }
  const most = dryRun || isDemo(caller) ? undefined : entry.holds
  const plans = dryRun ? [] : (entry.tool.plans ?? [])
  // Before the input is parsed: refused inputs count, and an account over its limit cannot keep us busy with them.
  let admitted: ReturnType<typeof admit> = null
  try {
    admitted = isDemo(caller) ? admitDemo(deps, caller) : admit(deps, prepared)
  } catch (error) {
    postpone(prepared, error)
  }
  if (admitted instanceof Promise || plans.length > 0 || most !== undefined)
    return finish(deps, prepared, input, { admitted, plans, most })
  prepared.rateLimit = admitted
  parseAndTakePlace(deps, prepared, input)
  return ready(prepared)
}

/** Most inputs have no `dry_run`. */
function takeDryRunOf({ entry, input, estimatesValues = false }: ToolCall): { dryRun: boolean; input: unknown } {
  if (input === null || typeof input !== 'object' || !('dry_run' in input)) return { dryRun: false, input }
  return takeDryRun(entry, input, estimatesValues)
}

/** Parses the input, and takes a place among the calls under way. */
function parseAndTakePlace({ pressure }: PrepareDeps, prepared: PreparedCall, given: unknown): void {
  const { entry, caller, streams = false, answered } = prepared.call
  prepared.input = answered ? answered.input : entry.parse(given)
  const { limit } = prepared.input
  prepared.leave = pressure.enter(caller.accountId, typeof limit === 'number' ? limit : 0, streams)
}

async function finish(
  deps: PrepareDeps,
  prepared: PreparedCall,
  given: unknown,
  { admitted, plans, most }: { admitted: ReturnType<typeof admit>; plans: readonly string[]; most: number | undefined },
): Promise<PreparedCall> {
  try {
    prepared.rateLimit = await admitted
  } catch (error) {
    postpone(prepared, error)
  }
  parseAndTakePlace(deps, prepared, given)
  try {
    if (plans.length > 0) await requirePlan(deps.plansOf, plans, prepared.call.caller.accountId)
    if (most !== undefined && !prepared.refusal) prepared.holdId = await hold(deps, prepared, most)
  } catch (error) {
    postpone(prepared, error)
  }
  return ready(prepared)
}

function ready(prepared: PreparedCall): PreparedCall {
  prepared.call.record.admittedAtMs = performance.now()
  return prepared
}

/** Keeps the refusal of new work for a call that may get a kept answer. Throws every other. */
function postpone(prepared: PreparedCall, error: unknown): void {
  const mayHaveAnswer = error instanceof AppError && (error.status === 402 || error.code === 'not_entitled')
  if (prepared.answerKey === undefined || !mayHaveAnswer) {
    prepared.leave()
    throw error
  }
  prepared.refusal = error
}

/** The demo key has no account and no credits; each address may make a few calls a minute. */
async function admitDemo({ config, limiter }: PrepareDeps, caller: Caller): Promise<RateLimitState> {
  if (config.DEMO_KEY === 'off') throw new AppError('key_invalid')
  const decision = await limiter.consume(`account:${caller.accountId}`, caller.rateLimitPerMinute!)
  if (decision.allowed) return { policy: 'account', ...decision }
  throw new AppError(
    'rate_limited',
    `The demo key may make ${decision.limit} requests per minute. Try again in ${decision.resetSeconds} s, or create a free account to get your own key.`,
    { retryAfterSeconds: decision.resetSeconds },
  )
}

/** The error is the same whether an empty account is refused by admission or by the commit. */
function admit(
  deps: PrepareDeps,
  { call: { entry, caller }, dryRun, chargeKey }: PreparedCall,
): Promise<RateLimitState | null> | RateLimitState | null {
  // Counted where its payment was verified, and no account has to have its credits.
  if (caller.payment) return null
  const explain = (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'insufficient_credits') throw error
    throw refusal(deps, { kind: 'refused', code: error.code, creditsRemaining: 0 }, entry.leastCredits)
  }
  try {
    const admitted = deps.meter[charging].admit(caller, dryRun ? 0 : entry.leastCredits, chargeKey)
    return admitted instanceof Promise ? admitted.catch(explain) : admitted
  } catch (error) {
    return explain(error)
  }
}

/** Sets `most` credits aside and returns the hold's id, or undefined for a repeat that was charged before. Throws a refusal if the account has less. */
async function hold(
  deps: PrepareDeps,
  { call: { entry, caller }, chargeKey }: PreparedCall,
  most: number,
): Promise<string | undefined> {
  const outcome = await deps.meter[charging].hold(caller, {
    most,
    seconds: entry.mostSeconds,
    ...(chargeKey !== undefined && { idempotencyKey: chargeKey }),
  })
  if (outcome?.kind === 'refused') throw refusal(deps, outcome, most)
  return outcome?.id
}

/**
 * A valid idempotency key, or undefined if none was given. Throws invalid_parameter; `param` is the name that it was
 * sent under.
 */
export function readIdempotencyKey(given: unknown, param: string): string | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'string' && KEY.test(given)) return given
  throw new AppError(
    'invalid_parameter',
    `${param} must have 1 to 200 printable ASCII characters without spaces, for example a UUID.`,
    { param },
  )
}
