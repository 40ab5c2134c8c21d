import { type ExecuteDeps, execute } from './execute.ts'
import { type PrepareDeps, prepare, type ToolCall } from './prepare.ts'
import { type SettleDeps, settle, settleFailed, type ToolAnswer } from './settle.ts'

/**
 * The metered call, the same for every surface and every tool: prepare, execute, settle. The charge is durable when this resolves.
 * Throws AppError; then nothing was charged. Bad input and refusals leave no usage row; a call that failed on our side leaves one with
 * 0 credits. With `dry_run: true` in the input it returns what the call would cost.
 */
export async function runTool(deps: PrepareDeps & ExecuteDeps & SettleDeps, call: ToolCall): Promise<ToolAnswer> {
  // Each await would delay the call by a turn of the event loop, so steps that return no promise are not awaited.
  const preparing = prepare(deps, call)
  const prepared = preparing instanceof Promise ? await preparing : preparing
  try {
    let executed: ReturnType<typeof execute>
    try {
      const executing = execute(deps, prepared)
      executed = executing instanceof Promise ? await executing : executing
    } catch (cause) {
      throw await settleFailed(deps, prepared, cause)
    }
    return await settle(deps, prepared, executed)
  } finally {
    prepared.leave()
  }
}
