import { createHash } from 'node:crypto'
import type { RegisteredTool } from './register-tool.ts'

/**
 * Equal for calls with the same request, on any surface: `input` is parsed, so its order is the schema's and its
 * defaults are filled in; of a JSON Schema, neither is, and the order is made equal.
 */
export function requestHash({ tool }: RegisteredTool, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([tool.name, tool.kind === 'body' ? sorted(input) : input]))
    .digest('hex')
}

/** The same for objects that differ only in the order of their names. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([name, one]) => [name, sorted(one)])
}
