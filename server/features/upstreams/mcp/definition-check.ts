import type { Operation } from '../document/operation.ts'
import { listTools, operatorCall } from './list-tools.ts'
import { changedParts, pinsOf, type ToolDefinition } from './read-tools.ts'
import type { Sessions } from './sessions.ts'

const EVERY_MS = 60_000

/**
 * Compares, at most once a minute and beside the calls, what the server says of its tools with what its operator approved. `report` gets
 * the parts that differ, never their text.
 */
export function createDefinitionCheck(
  operations: readonly Operation[],
  sessions: Pick<Sessions, 'fresh'>,
  report: (operation: string, problem: string) => void,
): () => void {
  let nextMs = 0
  return () => {
    const nowMs = performance.now()
    if (nowMs < nextMs) return
    nextMs = nowMs + EVERY_MS
    const call = operatorCall()
    sessions
      .fresh(call, (session) => listTools(session, call))
      .then((tools) => {
        for (const { operation, problem } of definitionProblems(operations, tools)) report(operation, problem)
      })
      // A server that cannot be asked shows in its calls.
      .catch(() => {})
  }
}

/** Where `tools` differ from what was approved. */
export function definitionProblems(
  operations: readonly Operation[],
  tools: readonly ToolDefinition[],
): { operation: string; problem: string }[] {
  const now = new Map(tools.map((tool) => [tool.name, tool]))
  return operations.flatMap(({ id, mcp }) => {
    const tool = now.get(id)
    if (!tool) return [{ operation: id, problem: 'the server has this tool no more' }]
    const changed = changedParts(mcp!.pins, pinsOf(tool))
    return changed.length === 0
      ? []
      : [{ operation: id, problem: `the server has another ${changed.join(', ')}; customers get what was approved` }]
  })
}
