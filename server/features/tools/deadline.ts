import type { CallRecord } from '../../http/call-record.ts'
import { AppError } from '../../http/errors.ts'
import { writeTraceparent } from '../../http/trace-context.ts'
import type { Tool, ToolContext } from './define-tool.ts'
import { DataLease, withData } from './not-in-memory.ts'

export const DEFAULT_TIMEOUT_MS = 10_000

/**
 * Runs the tool, and `finish` on its output, under the tool's deadline. A tool that answers synchronously costs no timer.
 * Where either reads bars that are not in memory, these are loaded, and both run again. When the deadline passes, the
 * promise rejects with tool_timeout and the tool's signal is aborted.
 */
export function runUnderDeadline<T>(
  tool: Tool,
  input: Record<string, unknown>,
  parts: ContextParts,
  finish: (output: unknown) => T,
  /** Gets what comes after the deadline, which nobody waits for. */
  discard: (late: T) => void = () => {},
): T | Promise<T> {
  const context = new CallContext(parts)
  const lease = new DataLease()
  const running = withData(() => {
    const output: unknown = tool.run(input as never, context)
    return output instanceof Promise ? output.then(finish) : finish(output)
  }, lease) as T | Promise<T>
  if (!(running instanceof Promise)) return running
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new AppError('tool_timeout')
      reject(late)
      context.abort(late)
    }, tool.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    const passed = (made: T): void => {
      if (context.isOver) discard(made)
      resolve(made)
    }
    running.then(passed, reject).finally(() => {
      clearTimeout(timer)
      lease.release()
    })
  })
}

type ContextParts = Omit<ToolContext, 'signal' | 'traceparent' | 'requestId'> & { record: CallRecord }

/** A class, so that the getters are created once instead of per call. */
class CallContext implements ToolContext {
  readonly deps: ToolContext['deps']
  readonly caller: ToolContext['caller']
  readonly market: ToolContext['market']
  readonly streams: boolean
  readonly idempotencyKey: string | undefined
  readonly client: ToolContext['client']
  readonly #record: CallRecord
  #controller: AbortController | undefined

  constructor({ deps, caller, market, streams, idempotencyKey, client, record }: ContextParts) {
    this.deps = deps
    this.caller = caller
    this.market = market
    this.streams = streams
    this.idempotencyKey = idempotencyKey
    this.client = client
    this.#record = record
  }

  get requestId(): string {
    return this.#record.requestId
  }

  get traceparent(): string | null {
    const { trace } = this.#record
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
