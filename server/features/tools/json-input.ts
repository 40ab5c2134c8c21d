import { AppError } from '../../http/errors.ts'
import { createValidator, LIMITS, type Verdict } from '../../json-schema/create-validator.ts'
import type { Problem } from '../../json-schema/describe-failure.ts'
import { clip, inputShapeError, invalidValue, missingInput, notAllowed, unknownInput } from './input/input-errors.ts'
import type { JsonSchema } from './register-tool.ts'

/** The input of a tool as a JSON Schema, with the same refusals as zod's. Made by `jsonInput`. */
export interface JsonInput {
  /** Closed at its top: what it does not name is refused, unless the schema itself says otherwise. */
  readonly jsonSchema: JsonSchema
  /** Names of the inputs. */
  readonly names: readonly string[]
  /** Throws an Error when the schema is none, or refers to what it does not have. */
  check: () => void
  /** The input itself. Throws invalid_parameter, naming the first wrong one, or the limit that checking it would exceed. */
  parse: (input: unknown) => Record<string, unknown>
}

/**
 * The input described by `schema` (2020-12, or draft-07 by its `$schema`): an object with `properties`, each reference within the
 * schema.
 */
export function jsonInput(schema: JsonSchema): JsonInput {
  const jsonSchema = { type: 'object', properties: {}, additionalProperties: false, ...schema } as JsonSchema
  const names = Object.freeze(Object.keys(jsonSchema.properties as JsonSchema))
  const { check, validate } = createValidator(jsonSchema)
  return Object.freeze({
    jsonSchema,
    names,
    check,
    parse(input: unknown) {
      const verdict = validate(input)
      if (verdict.outcome === 'valid') return input as Record<string, unknown>
      throw verdict.outcome === 'over' ? tooMuch(verdict) : errorOf(verdict.problem, names, input)
    },
  })
}

const tooMuch = ({ limit }: Extract<Verdict, { outcome: 'over' }>): AppError =>
  new AppError(
    'invalid_parameter',
    limit === 'depth'
      ? `The input is nested too deeply to be checked: at most ${LIMITS.depth} steps of its schema. Send fewer levels.`
      : `The input takes more than ${LIMITS.steps.toLocaleString('en-US')} steps to check. Send fewer entries or fewer levels, or split the call.`,
  )

function errorOf(
  { path, keyword, message, name, allowed }: Problem,
  names: readonly string[],
  input: unknown,
): AppError {
  if (path.length === 0 && keyword === 'additionalProperties') return unknownInput(name!, names)
  if (keyword === 'required') return missingInput([...path, name].join('.'))
  const param = path.join('.')
  if (param === '')
    return keyword === 'type' ? inputShapeError(names) : new AppError('invalid_parameter', `The input ${message}.`)
  if (allowed) return notAllowed(param, allowed.slice(0, MOST_NAMED).map(written), valueAt(input, path))
  if (keyword === 'additionalProperties') return invalidValue(param, `must not have the property "${clip(name!)}"`)
  return invalidValue(param, message)
}

/** Of a longer list of allowed values, an answer has the first. */
const MOST_NAMED = 1_000

/** A value of the schema. It may be an object with a name `toString`, or nested too deeply for text. */
function written(value: unknown): string {
  try {
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  } catch {
    return 'a nested value'
  }
}

function valueAt(input: unknown, path: string[]): unknown {
  let value: unknown = input
  for (const step of path) value = (value as Record<string, unknown> | undefined)?.[step]
  return value
}
