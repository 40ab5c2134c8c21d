import type { Readable } from 'node:stream'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { writeTraceparent } from '../../http/trace-context.ts'
import { answerHash } from './answer-hash.ts'
import { checkOutput } from './check-output.ts'
import type { BodyAnswer, CallClient, ToolContext } from './define-tool.ts'
import { estimate, estimateBody } from './dry-run.ts'
import { answerOnce } from './once.ts'
import type { PreparedCall, ToolCall } from './prepare.ts'
import { type Bill, billOf } from './price.ts'
import { DataLease, withData } from './rows/not-in-memory.ts'

const NOBODY: CallClient = Object.freeze({})

/** What a call produced, before it is charged. */
export interface ExecutedCall {
  /** As it is sent. */
  output: unknown
  /** The caller already has it. */
  unchanged?: boolean
  /** Of a call of our own tool with an idempotency key: what its repeats must equal. */
  answerHash?: string
  /** Of an answer with a body of its own. Others are charged by their rows. */
  bill?: Bill
}

export type ExecuteDeps = Pick<Deps, 'config' | 'db' | 'market' | 'secrets' | 'tools'>

/**
 * The second step: runs the tool under its deadline, checks what it made and gives that the form in which it is sent. Throws what the
 * tool throws, and tool_timeout. Returns synchronously when the tool does.
 */
export function execute(deps: ExecuteDeps, prepared: PreparedCall): ExecutedCall | Promise<ExecutedCall> {
  const { entry, caller, forAi, answered } = prepared.call
  if (answered) return finish(prepared, answered.output)
  if (!entry.readsMarket) return run(deps, prepared, null)
  const access = deps.market.of(caller, forAi)
  return access instanceof Promise ? access.then((market) => run(deps, prepared, market)) : run(deps, prepared, access)
}

/** A tool that answers synchronously costs no timer. Where it reads bars that are not in memory, these are loaded, and it runs again. */
function run(
  deps: ExecuteDeps,
  prepared: PreparedCall,
  market: ToolContext['market'] | null,
): ExecutedCall | Promise<ExecutedCall> {
  const { call, input, dryRun, answerKey } = prepared
  const { tool, timeoutMs } = call.entry
  if (dryRun && tool.kind === 'body') return { output: estimateBody(tool) }
  const context = new CallContext(deps, call, market)
  const work = (): ExecutedCall | Promise<ExecutedCall> => {
    const made: unknown =
      answerKey === undefined ? tool.run(input as never, context) : answerOnce(deps, prepared, context)
    return made instanceof Promise ? made.then((output) => finish(prepared, output)) : finish(prepared, made)
  }
  const lease = market && new DataLease()
  const running = lease ? withData(work, lease) : work()
  return running instanceof Promise ? underDeadline(running, timeoutMs, context, lease) : running
}

/** When the deadline passes, the promise rejects with tool_timeout and the tool's signal is aborted. */
function underDeadline(
  running: Promise<ExecutedCall>,
  timeoutMs: number,
  context: CallContext,
  lease: DataLease | null,
): Promise<ExecutedCall> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new AppError('tool_timeout')
      reject(late)
      context.abort(late)
    }, timeoutMs)
    const passed = (made: ExecutedCall): void => {
      if (context.isOver) discard(made)
      resolve(made)
    }
    running.then(passed, reject).finally(() => {
      clearTimeout(timer)
      lease?.release()
    })
  })
}

/** A stream that comes too late is closed: nobody reads it. */
function discard({ output }: ExecutedCall): void {
  const { stream } = (output ?? {}) as { stream?: Readable }
  stream?.destroy()
}

function finish({ call, input, dryRun }: PreparedCall, made: unknown): ExecutedCall {
  const { entry, shape } = call
  if (entry.tool.kind === 'body') return { output: made, bill: billOf(entry.tool, made as BodyAnswer) }
  const checked = checkOutput(entry, made)
  const output = dryRun ? estimate(entry, checked) : checked
  const shaped = shape ? shape(output, input) : { output }
  // Before it was given a form: repeats may ask for another.
  return call.idempotencyKey === undefined || dryRun
    ? shaped
    : { ...shaped, answerHash: answerHash(entry.tool, checked) }
}

/** A class, so that the getters are created once instead of per call. */
class CallContext implements ToolContext {
  readonly deps: ToolContext['deps']
  readonly #call: ToolCall
  readonly #market: ToolContext['market'] | null
  #controller: AbortController | undefined

  constructor(deps: ToolContext['deps'], call: ToolCall, market: ToolContext['market'] | null) {
    this.deps = deps
    this.#call = call
    this.#market = market
  }

  get caller(): ToolContext['caller'] {
    return this.#call.caller
  }

  get streams(): boolean {
    return this.#call.streams ?? false
  }

  get idempotencyKey(): string | undefined {
    return this.#call.idempotencyKey
  }

  get client(): CallClient {
    return this.#call.client ?? NOBODY
  }

  get market(): ToolContext['market'] {
    if (!this.#market) throw new Error('A tool of kind body reads no market data.')
    return this.#market
  }

  get requestId(): string {
    return this.#call.record.requestId
  }

  get traceparent(): string | null {
    const { trace } = this.#call.record
    return trace && writeTraceparent(trace)
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.isOver) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  isOver = false
  #reason: AppError | undefined

  abort(reason: AppError): void {
    this.isOver = true
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}
