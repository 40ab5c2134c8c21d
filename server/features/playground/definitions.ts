import { createHash } from 'node:crypto'
import type { ChangedTool } from '#contract/playground.ts'
import type { Definitions } from './store.ts'

const MAX_NAME = 200
const MAX_TOLD = 50

/** A hash of each whole definition, since every text of a schema reaches the model. */
export const hashDefinitions = (tools: readonly { name: string }[]): Definitions =>
  Object.fromEntries(
    tools.map((tool) => [
      // PostgreSQL stores no NUL, and a name is only displayed.
      tool.name.replaceAll(/\p{Cc}/gu, ' ').slice(0, MAX_NAME),
      createHash('sha256').update(JSON.stringify(tool)).digest('base64url'),
    ]),
  )

/** The tools that are new, removed or changed since the person read them, by name. */
export function changedTools(read: Definitions | null, seen: Definitions | null): ChangedTool[] {
  if (!read || !seen) return []
  const names = [...new Set([...Object.keys(read), ...Object.keys(seen)])].toSorted()
  return names
    .filter((name) => read[name] !== seen[name])
    .slice(0, MAX_TOLD)
    .map((name) => ({
      name,
      change: !Object.hasOwn(read, name) ? 'added' : !Object.hasOwn(seen, name) ? 'removed' : 'changed',
    }))
}
