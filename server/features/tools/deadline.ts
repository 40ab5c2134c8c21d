import { AppError } from '../../http/errors.ts'
import type { Tool, ToolContext } from './define-tool.ts'

export const DEFAULT_TIMEOUT_MS = 10_000

/**
 * Runs the tool under its deadline. A tool that answers synchronously costs no timer. When the deadline passes, the
 * promise rejects with tool_timeout and the tool's signal is aborted.
 */
export function runUnderDeadline(
  tool: Tool,
  input: Record<string, unknown>,
  parts: Omit<ToolContext, 'signal'>,
): unknown {
  const context = new CallContext(parts)
  const running: unknown = tool.run(input as never, context)
  if (!(running instanceof Promise)) return running
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new AppError('tool_timeout')
      reject(late)
      context.abort(late)
    }, tool.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    running.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** A class, so that the signal's getter is created once instead of per call. */
class CallContext implements ToolContext {
  readonly deps: ToolContext['deps']
  readonly caller: ToolContext['caller']
  readonly market: ToolContext['market']
  readonly streams: boolean
  #controller: AbortController | undefined

  constructor({ deps, caller, market, streams }: Omit<ToolContext, 'signal'>) {
    this.deps = deps
    this.caller = caller
    this.market = market
    this.streams = streams
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  abort(reason: AppError): void {
    this.#controller?.abort(reason)
  }
}
