import { nearestNames } from '../tools/input/nearest-names.ts'
import type { Operation } from './document/operation.ts'
import type { Manifest } from './manifest.ts'

/** More would be a longer list than models read at each turn. */
const MOST_OVER_MCP = 20

export interface Chosen {
  operations: Operation[]
  /** Why others are not published. */
  left: { operation: string; reason: string }[]
}

/**
 * The operations that a manifest publishes: those with a price that it names, and every GET operation or tool unless it says otherwise. Throws
 * an Error for a name that the description does not have.
 */
export function chooseOperations(all: Operation[], skipped: Chosen['left'], manifest: Manifest): Chosen {
  const known = new Set([...all.map(({ id }) => id), ...skipped.map(({ operation }) => operation)])
  for (const name of Object.keys(manifest.operations)) {
    if (known.has(name)) continue
    const [nearest] = nearestNames(name, [...known])
    throw new Error(`The description has no operation ${name}.${nearest ? ` Is it ${nearest}?` : ''}`)
  }
  const left: Chosen['left'] = [...skipped]
  const operations = all.filter((operation) => {
    const reason = whyNot(operation, manifest)
    if (reason) left.push({ operation: operation.id, reason })
    return reason === null
  })
  return { operations, left }
}

function whyNot({ id, method, prompt, resources }: Operation, { operations, defaults }: Manifest): string | null {
  // Chosen as they were read.
  if (prompt || resources) return null
  const own = operations[id]
  if (own?.publish === false) return 'the manifest says so'
  if (!own && defaults.publish === 'named') return 'it is not named'
  if (!own && defaults.publish === 'get' && method !== 'GET') return `the method is ${method}: name it to publish it`
  return (own?.credits ?? defaults.credits) === undefined ? 'it has no price' : null
}

/** Whether an operation is a tool over MCP: as the manifest says, or if there are few enough for a list. */
export const isOverMcp = (
  { id, prompt, resources }: Operation,
  { operations, defaults }: Manifest,
  published: number,
): boolean => {
  if (prompt || resources) return false
  const own = operations[id]?.mcp
  return own === undefined ? (defaults.mcp ?? published <= MOST_OVER_MCP) : own !== false
}
