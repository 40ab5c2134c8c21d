import { createValidator, LIMITS, type Validator, type Verdict } from '../../../json-schema/create-validator.ts'
import type { JsonSchema } from '../document/operation.ts'

const OVER = { steps: 'steps', depth: 'levels of its schema' } as const
/** One answer in this time is compared, for each operation on each server. */
const EVERY_MS = 60_000
/** Comparing larger ones would hold up other calls. */
const MOST_TEXT = 256 * 1024

/**
 * Compares a sample of an operation's answers with its described form, after the call. `report` gets the place and the broken rule,
 * never data, or that the answer takes too much work to be compared. Nothing of it reaches the customer. What is no JSON Schema is
 * compared with nothing.
 */
export function createDriftCheck(
  schema: JsonSchema | null,
  report: (problem: string) => void,
  everyMs = EVERY_MS,
): (body: unknown, bytes: number) => void {
  let nextMs = 0
  let validator: Validator | null | undefined = schema === null ? null : undefined
  return (body, bytes) => {
    const nowMs = performance.now()
    if (validator === null || nowMs < nextMs || bytes > MOST_TEXT) return
    nextMs = nowMs + everyMs
    setImmediate(() => {
      if (validator === undefined) validator = readSchema(schema!)
      const problem = validator && problemText(validator.validate(body))
      if (problem) report(problem)
    })
  }
}

function readSchema(schema: JsonSchema): Validator | null {
  try {
    const validator = createValidator(schema)
    validator.check()
    return validator
  } catch {
    return null
  }
}

/** Positions in lists say nothing, and names that the answer itself chose could be data. */
function problemText(verdict: Verdict): string | null {
  if (verdict.outcome === 'valid') return null
  if (verdict.outcome === 'over')
    return `#: not checked, because it takes more than ${LIMITS[verdict.limit]} ${OVER[verdict.limit]}`
  const { schemaPath, keyword, message } = verdict.problem
  const said =
    keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' ? 'has a property more' : message
  return `${schemaPath.slice(0, 200)}: ${said.slice(0, 200)}`
}
