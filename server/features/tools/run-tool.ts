import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import type { Caller, RateLimitState } from '../metering/meter.ts'
import { checkOutput } from './check-output.ts'
import { runUnderDeadline } from './deadline.ts'
import { requestHash } from './idempotency-key.ts'
import { parseInput } from './parse-input.ts'
import { price } from './price.ts'
import { refusal } from './refusal.ts'
import type { RegisteredTool } from './registry.ts'

export interface ToolCall {
  entry: RegisteredTool
  /** As the caller sent it. */
  input: unknown
  caller: Caller
  /** Passed `readIdempotencyKey`. */
  idempotencyKey?: string
}

export interface ToolAnswer {
  /** A `Table` for table tools. */
  output: unknown
  receiptId: string
  creditsCharged: number
  creditsRemaining: number
  unlimited: boolean
  rateLimit: RateLimitState | null
  /** The idempotency key was charged before; this answer costs nothing. */
  replayed: boolean
}

export type RunToolDeps = Pick<Deps, 'config' | 'market' | 'meter' | 'log'>

/**
 * The metered call, the same for every surface: parse, admit, run, check, commit. The charge is on disk when this
 * resolves. Throws AppError; then nothing was charged. Bad input and refusals leave no usage row; a call that failed on
 * our side leaves one with 0 credits.
 */
export async function runTool(deps: RunToolDeps, call: ToolCall): Promise<ToolAnswer> {
  const { entry, caller } = call
  const input = parseInput(entry, call.input)
  const rateLimit = await admit(deps, call)
  const startedAt = performance.now()
  const meter = (status: 'success' | 'failed', credits: number) =>
    deps.meter.commit({
      accountId: caller.accountId,
      keyId: caller.keyId,
      toolId: entry.id,
      credits,
      status,
      durationMs: Math.round(performance.now() - startedAt),
      idempotency:
        status === 'success' && call.idempotencyKey
          ? { key: call.idempotencyKey, requestHash: requestHash(entry, input) }
          : undefined,
    })

  let output: unknown
  try {
    const running = runUnderDeadline(entry.tool, input, deps)
    output = checkOutput(entry, running instanceof Promise ? await running : running)
  } catch (cause) {
    if (cause instanceof AppError && cause.status < 500) throw cause
    await meter('failed', 0).catch((error: Error) =>
      deps.log.error({ tool: entry.tool.name, error: error.message }, 'failed call not recorded'),
    )
    throw failure(deps, entry, cause)
  }

  const outcome = await meter('success', price(entry.tool, output))
  if (outcome.kind === 'refused') throw refusal(deps.config, outcome, price(entry.tool, output))
  const { receiptId, creditsCharged, creditsRemaining, unlimited } = outcome
  return {
    output,
    receiptId,
    creditsCharged,
    creditsRemaining,
    unlimited,
    rateLimit,
    replayed: outcome.kind === 'replayed',
  }
}

/** An account known to be empty reads the same text as one that the commit finds empty. */
async function admit(deps: RunToolDeps, { entry, caller, idempotencyKey }: ToolCall): Promise<RateLimitState | null> {
  try {
    return await deps.meter.admit(caller, entry.leastCredits, idempotencyKey)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'insufficient_credits') throw error
    throw refusal(deps.config, { kind: 'refused', code: error.code, creditsRemaining: 0 }, entry.leastCredits)
  }
}

/** The error that the caller sees; the true cause of an unexpected one goes to the log only. */
function failure(deps: RunToolDeps, { tool }: RegisteredTool, cause: unknown): AppError {
  if (cause instanceof AppError) return cause
  deps.log.error(
    { tool: tool.name, error: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) },
    'tool failed',
  )
  return new AppError('internal_error', undefined, {}, { cause })
}
