import { checkSchema, MOST_PARTS, requireSmall } from './check-schema.ts'
import { describeFailure, type Problem } from './describe-failure.ts'
import { Evaluation, type Limits } from './evaluate.ts'
import { indexSchema, type SchemaIndex } from './index-schema.ts'
import { type JsonSchema, OverLimit, Scope } from './node.ts'

/**
 * What one validation may take. This many steps take a few milliseconds of the thread; values within a body of 256 KB need fewer with
 * ordinary schemas.
 */
export const LIMITS: Readonly<Limits> = { steps: 100_000, depth: 800, rememberedFrom: 1_000 }

/** The first broken rule, or the limit at which the validation ended; `steps` is the work that was done. */
export type Verdict = { steps: number } & (
  | { outcome: 'valid' }
  | { outcome: 'invalid'; problem: Problem }
  | { outcome: 'over'; limit: OverLimit['limit'] }
)

export interface Validator {
  /** Throws an Error for what is no JSON Schema, or refers to what it does not have. */
  check: () => void
  validate: (value: unknown, limits?: Partial<Limits>) => Verdict
}

/**
 * Validates by somebody else's schema (2020-12, or draft-07 by its `$schema`) within a bound that holds for every schema and value.
 * `pattern`, `patternProperties` and `uniqueItems` are not checked; a schema with `patternProperties` is open to other names. Unknown
 * keywords and formats say nothing, nor does a reference that leads nowhere. The schema is read at first use.
 */
export function createValidator(schema: JsonSchema | boolean): Validator {
  let known: SchemaIndex | undefined
  const index = (): SchemaIndex => {
    known ??= indexSchema(schema)
    return known
  }
  return {
    check() {
      requireSmall(schema)
      known ??= indexSchema(schema, MOST_PARTS)
      checkSchema(known)
    },
    validate(value, limits) {
      const { root } = index()
      const run = new Evaluation(index(), { ...LIMITS, ...limits })
      try {
        const failure = run.evaluate(root, value, new Scope([root.resource]), null)
        const { steps } = run
        return failure ? { outcome: 'invalid', steps, problem: describeFailure(failure) } : { outcome: 'valid', steps }
      } catch (error) {
        if (error instanceof OverLimit) return { outcome: 'over', steps: run.steps, limit: error.limit }
        throw error
      }
    },
  }
}
