import type { Operation } from '../document/operation.ts'
import { listOffered, operatorCall } from './list-tools.ts'
import { approvedPins, changedParts, type Offered, offeredPins } from './offered.ts'
import type { Sessions } from './sessions.ts'

const EVERY_MS = 60_000

/**
 * Compares, at most once a minute and beside the calls, what the server says of what it offers with what its operator approved. `report` gets
 * the parts that differ, never their text; `onFailure` why the server could not be asked, which shows in its calls, too.
 */
export function createDefinitionCheck(
  operations: readonly Operation[],
  sessions: Pick<Sessions, 'fresh'>,
  report: (operation: string, problem: string) => void,
  onFailure: (error: unknown) => void,
): () => void {
  let nextMs = 0
  const wanted = {
    prompts: operations.some(({ prompt }) => prompt),
    resources: operations.some(({ resources }) => resources),
  }
  return () => {
    const nowMs = performance.now()
    if (nowMs < nextMs) return
    nextMs = nowMs + EVERY_MS
    const call = operatorCall()
    sessions
      .fresh(call, (session) => listOffered(session, call, wanted))
      .then((offered) => {
        for (const { operation, problem } of definitionProblems(operations, offered)) report(operation, problem)
      })
      .catch(onFailure)
  }
}

/** Where `offered` differs from what was approved. */
export function definitionProblems(
  operations: readonly Operation[],
  offered: Offered,
): { operation: string; problem: string }[] {
  const now = offeredPins(offered)
  return [...approvedPins(operations)].flatMap(([operation, approved]) => {
    const pins = now.get(operation)
    if (!pins) return [{ operation, problem: 'the server has this no more' }]
    const changed = changedParts(approved, pins)
    return changed.length === 0
      ? []
      : [{ operation, problem: `the server has another ${changed.join(', ')}; customers get what was approved` }]
  })
}
