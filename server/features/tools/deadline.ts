import { AppError } from '../../http/errors.ts'
import type { Tool, ToolContext } from './define-tool.ts'

export const DEFAULT_TIMEOUT_MS = 10_000

/**
 * Runs the tool under its deadline. A tool that answers at once costs no timer. When the deadline passes, the promise
 * rejects with tool_timeout and the tool's own signal is aborted.
 */
export function runUnderDeadline(
  tool: Tool,
  input: Record<string, unknown>,
  { deps, caller, market, streams }: Omit<ToolContext, 'signal'>,
): unknown {
  let controller: AbortController | undefined
  const context: ToolContext = {
    deps,
    caller,
    market,
    streams,
    get signal() {
      controller ??= new AbortController()
      return controller.signal
    },
  }
  const running: unknown = tool.run(input as never, context)
  if (!(running instanceof Promise)) return running
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new AppError('tool_timeout')
      reject(late)
      controller?.abort(late)
    }, tool.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    running.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
