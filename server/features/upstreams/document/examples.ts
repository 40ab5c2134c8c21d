import { BadReference, resolve } from './references.ts'

/** Longer examples would fill pages and memory, and show no more. In characters of JSON. */
const MOST_CHARACTERS = 4_000

/** The example that a description gives beside a parameter or a type of content; undefined: none, or it is too long. */
export function givenExample(root: unknown, described: unknown): unknown {
  const { example, examples } = (described ?? {}) as { example?: unknown; examples?: unknown }
  if (example !== undefined) return fitting(example)
  const [first] = examples !== null && typeof examples === 'object' ? Object.values(examples) : []
  return fitting(resolved<{ value?: unknown }>(root, first)?.value)
}

/** The example inside a schema, which is OpenAPI's `example` or the first of JSON Schema's `examples`. */
export function exampleOf(root: unknown, schema: unknown): unknown {
  const { example, examples } = resolved<{ example?: unknown; examples?: unknown }>(root, schema) ?? {}
  return fitting(example ?? (Array.isArray(examples) ? examples[0] : undefined))
}

function resolved<T>(root: unknown, value: unknown): T | undefined {
  try {
    return resolve<T>(root, value)
  } catch (error) {
    // An example that leads nowhere is no reason to leave the operation out.
    if (error instanceof BadReference) return undefined
    throw error
  }
}

/** A list keeps its first entry. */
function fitting(value: unknown): unknown {
  const shown = Array.isArray(value) ? value.slice(0, 1) : value
  return shown !== undefined && JSON.stringify(shown).length <= MOST_CHARACTERS ? shown : undefined
}
