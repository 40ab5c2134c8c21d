import type { Readable } from 'node:stream'
import type { Deps } from '../../deps.ts'
import type { CallRecord } from '../../http/call-record.ts'
import { AppError } from '../../http/errors.ts'
import { isDemo } from '../keys/demo-key.ts'
import { charging } from '../metering/charging.ts'
import type { Caller, RateLimitState } from '../metering/meter.ts'
import { answerPrice, isCharged } from './body-price.ts'
import { checkOutput } from './check-output.ts'
import { DEFAULT_TIMEOUT_MS, runUnderDeadline } from './deadline.ts'
import type { BodyAnswer, CallClient, Tool } from './define-tool.ts'
import { estimate, estimateBody, takeDryRun } from './dry-run.ts'
import { requestHash } from './idempotency-key.ts'
import type { Settled } from './metered-stream.ts'
import { once } from './once.ts'
import { parseInput } from './parse-input.ts'
import { mostOf, price } from './price.ts'
import { refusal } from './refusal.ts'
import type { RegisteredTool } from './register-tool.ts'
import { runStream } from './run-stream.ts'

/** A hold outlives its call by the longest commit, with a margin. */
const SETTLING_SECONDS = 60

const NOT_FOR_DEMO = 'The demo key cannot call this. Create a free account to get your own key.'

const NOBODY: CallClient = Object.freeze({})

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
  /** The client wants the final charge of a stream as its last event or line. */
  trailer?: boolean
  /**
   * Turns the output into what is sent, before it is charged: rows that cannot be sent, or are cut off, are free.
   * `unchanged`: the caller already has it, and pays nothing.
   */
  shape?: (output: unknown) => { output: unknown; unchanged?: boolean }
}

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

export type RunToolDeps = Pick<
  Deps,
  'config' | 'market' | 'meter' | 'limiter' | 'log' | 'db' | 'tools' | 'pressure' | 'secrets'
>

/**
 * The metered call, the same for every surface: parse, admit, run, check, shape, commit. The charge is durable when
 * this resolves. Throws AppError; then nothing was charged. Bad input and refusals leave no usage row; a call that
 * failed on our side leaves one with 0 credits. With `dry_run: true` in the input it returns what the call would cost.
 */
export async function runTool(deps: RunToolDeps, call: ToolCall): Promise<ToolAnswer> {
  const { entry, caller } = call
  if (entry.tool.kind === 'body' && isDemo(caller)) throw new AppError('forbidden', NOT_FOR_DEMO)
  const { dryRun, input: given } = takeDryRun(entry, call.input, call.estimatesValues ?? false)
  const input = parseInput(entry, given)
  const { limit } = input as { limit?: unknown }
  const leave = deps.pressure.enter(caller.accountId, typeof limit === 'number' ? limit : 0, call.streams ?? false)
  try {
    return await runAdmitted(deps, call, input, dryRun)
  } finally {
    leave()
  }
}

async function runAdmitted(
  deps: RunToolDeps,
  call: ToolCall,
  input: ReturnType<typeof parseInput>,
  dryRun: boolean,
): Promise<ToolAnswer> {
  const { entry, caller, record } = call
  const { holds } = entry
  const keyed: Keyed | undefined =
    entry.tool.upstream && call.idempotencyKey !== undefined && !dryRun ? { key: call.idempotencyKey } : undefined
  let rateLimit: RateLimitState | null = null
  let holdId: string | undefined
  try {
    const admitted = isDemo(caller) ? admitDemo(deps, caller) : admit(deps, call, dryRun ? 0 : entry.leastCredits)
    rateLimit = admitted instanceof Promise ? await admitted : admitted
    if (holds !== undefined && !dryRun && !isDemo(caller)) holdId = await hold(deps, call, holds)
  } catch (error) {
    if (!keyed || !(error instanceof AppError) || error.status !== 402) throw error
    keyed.refusal = error
  }
  record.admittedAtMs = performance.now()
  const idempotency = () => {
    const key = entry.tool.upstream ? keyed?.work : call.idempotencyKey
    return key ? { key, requestHash: requestHash(entry, input) } : undefined
  }
  const meter = (status: 'success' | 'failed', credits: number) =>
    deps.meter[charging].commit({
      accountId: caller.accountId,
      bucket: caller.bucket,
      keyId: caller.keyId,
      toolId: entry.id,
      credits,
      status,
      durationMs: Math.round(record.ranAtMs - record.admittedAtMs),
      idempotency: status === 'success' ? idempotency() : undefined,
      ...(holdId !== undefined && { holdId }),
    })
  const free = (output: unknown): ToolAnswer => {
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

  if (dryRun && entry.tool.kind === 'body') return free(estimateBody(entry.tool))

  let output: unknown
  let unchanged: boolean | undefined
  let bill: Bill | undefined
  try {
    const access = deps.market.of(caller, call.forAi)
    const market = access instanceof Promise ? await access : access
    const { idempotencyKey } = call
    const { client = NOBODY } = call
    const parts = { deps, caller, market, streams: call.streams ?? false, idempotencyKey, client, record }
    const finish = (made: unknown) => {
      if (entry.tool.kind === 'body') return { output: made, bill: billOf(entry.tool, made as BodyAnswer) }
      const checked = checkOutput(entry, made)
      const kept = dryRun ? estimate(entry, checked) : checked
      return call.shape ? call.shape(kept) : { output: kept }
    }
    const running = runUnderDeadline(onceOf(deps, call, input, keyed), input, parts, finish, discard)
    const shaped: Shaped = running instanceof Promise ? await running : running
    output = shaped.output
    unchanged = shaped.unchanged
    bill = shaped.bill
    record.ranAtMs = performance.now()
  } catch (cause) {
    record.ranAtMs = performance.now()
    if (cause instanceof AppError && cause.status < 500) {
      if (holdId !== undefined) await deps.meter[charging].release(caller, holdId)
      throw cause
    }
    if (!isDemo(caller))
      await meter('failed', 0).catch((error: Error) =>
        deps.log.error({ tool: entry.tool.name, error: error.message }, 'failed call not recorded'),
      )
    throw failure(deps, entry, cause)
  }
  if (dryRun || isDemo(caller)) return free(output)
  if (unchanged) {
    if (holdId !== undefined) await deps.meter[charging].release(caller, holdId)
    return free(output)
  }

  if (bill?.credits === null) {
    const answer = output as Extract<BodyAnswer, { stream: unknown }>
    // Only now: a call that ended before it began to answer costs nothing.
    if (holdId !== undefined && entry.tool.unsettled === 'charge')
      await deps.meter[charging].chargeAtExpiry(caller, holdId, entry.id)
    const started = runStream(deps, entry.tool, answer, caller, call.trailer ?? false, (status, credits) => {
      record.ranAtMs = performance.now()
      return meter(status, credits)
    })
    const streaming = { held: holdId === undefined ? 0 : (entry.holds ?? 0), settled: started.settled }
    return { ...free(started.output), receiptId: started.receiptId, streaming }
  }
  const credits = bill ? bill.credits : price(entry.tool, output)
  const outcome = await meter(bill?.failed ? 'failed' : 'success', credits)
  record.committedAtMs = performance.now()
  if (outcome.kind === 'refused') throw refusal(deps.config, outcome, credits)
  const { receiptId, creditsCharged, creditsRemaining, unlimited } = outcome
  record.receiptId = receiptId
  record.result = bill?.failed ? 'failed' : outcome.kind === 'replayed' ? 'replayed' : 'success'
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

interface Shaped {
  output: unknown
  unchanged?: boolean
  bill?: Bill
}

/** What an answer with a body of its own costs; null: the stream says so when it ends. `failed`: by the upstream, or not charged. */
interface Bill {
  credits: number | null
  failed: boolean
}

function billOf(tool: Tool, answer: BodyAnswer): Bill {
  if (!isCharged(tool, answer)) return { credits: 0, failed: true }
  if ('canceled' in answer) return { credits: mostOf(tool.credits) ?? 0, failed: false }
  if (!('stream' in answer)) return { credits: answerPrice(tool, answer), failed: false }
  if (tool.streamMs === undefined) throw new Error(`${tool.name} answered with a stream, and has no streamMs.`)
  return { credits: null, failed: false }
}

/** A stream that comes too late is closed: nobody reads it. */
const discard = ({ output }: Shaped): void => {
  const { stream } = (output ?? {}) as { stream?: Readable }
  stream?.destroy()
}

/** A call of an upstream with a key of the client: free only where it gets the kept answer of work that was charged. */
interface Keyed {
  key: string
  /** Why new work is refused. A kept answer may have been charged. */
  refusal?: AppError
  /** The kept work, under which the meter knows its charge; never the client's key, which can stand for more than one. */
  work?: string
}

/** The tool, which, where it is an upstream's and the client sent a key, gives the answer that is kept for the key. */
function onceOf(deps: RunToolDeps, call: ToolCall, input: Record<string, unknown>, keyed: Keyed | undefined): Tool {
  const { tool } = call.entry
  if (keyed === undefined) return tool
  const terms = {
    accountId: call.caller.accountId,
    idempotencyKey: keyed.key,
    requestHash: requestHash(call.entry, input),
    seconds: Math.ceil((tool.timeoutMs ?? DEFAULT_TIMEOUT_MS) / 1000) + SETTLING_SECONDS,
    isCharged: (answer: BodyAnswer) => isCharged(tool, answer),
  }
  return {
    ...tool,
    run: async (given, context) => {
      const { answer, work } = await once(deps, terms, async () => {
        if (keyed.refusal) throw keyed.refusal
        return (await tool.run(given as never, context)) as BodyAnswer
      })
      if (work !== null) keyed.work = work
      return answer
    },
  }
}

/** Sets `most` credits aside. Undefined: no hold is needed. Throws the refusal of a call of that price. */
async function hold(
  { meter, config }: RunToolDeps,
  { entry, caller, idempotencyKey }: ToolCall,
  most: number,
): Promise<string | undefined> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, streamMs = 0 } = entry.tool
  const seconds = Math.ceil((timeoutMs + streamMs) / 1000) + SETTLING_SECONDS
  const outcome = await meter[charging].hold(caller, {
    most,
    seconds,
    ...(idempotencyKey !== undefined && !entry.tool.upstream && { idempotencyKey }),
  })
  if (outcome?.kind === 'refused') throw refusal(config, outcome, most)
  return outcome?.id
}

/** The demo key has no account and no credits; each address may make a few calls a minute. */
async function admitDemo({ config, limiter }: RunToolDeps, caller: Caller): Promise<RateLimitState> {
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
  deps: RunToolDeps,
  { entry, caller, idempotencyKey }: ToolCall,
  leastCredits: number,
): Promise<RateLimitState | null> | RateLimitState | null {
  const explain = (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'insufficient_credits') throw error
    throw refusal(deps.config, { kind: 'refused', code: error.code, creditsRemaining: 0 }, entry.leastCredits)
  }
  try {
    const key = entry.tool.upstream ? undefined : idempotencyKey
    const admitted = deps.meter[charging].admit(caller, leastCredits, key)
    return admitted instanceof Promise ? admitted.catch(explain) : admitted
  } catch (error) {
    return explain(error)
  }
}

/** The error that the caller sees. The cause of an unexpected one goes only to the log. */
function failure(deps: RunToolDeps, { tool }: RegisteredTool, cause: unknown): AppError {
  const known = cause instanceof AppError ? cause : null
  const reason = known ? known.cause : cause
  if (reason !== undefined)
    deps.log.error(
      { tool: tool.name, error: reason instanceof Error ? (reason.stack ?? reason.message) : String(reason) },
      'tool failed',
    )
  if (known) return known
  return new AppError('internal_error', undefined, {}, { cause })
}
