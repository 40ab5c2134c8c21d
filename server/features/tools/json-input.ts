import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { AppError } from '../../http/errors.ts'
import { clip, inputShapeError, invalidValue, missingInput, notAllowed, unknownInput } from './input-errors.ts'
import type { JsonSchema } from './register-tool.ts'

/** The input of a tool as a JSON Schema, with the same refusals as zod's. Made by `jsonInput`. */
export interface JsonInput {
  /** Closed at its top: what it does not name is refused, unless the schema itself says otherwise. */
  readonly jsonSchema: JsonSchema
  /** Names of the inputs. */
  readonly names: readonly string[]
  /** Throws an Error when the schema is none, or refers to what it does not have. Done by the first `parse` otherwise. */
  check: () => void
  /** The input itself. Throws invalid_parameter, naming the first wrong one. */
  parse: (input: unknown) => Record<string, unknown>
}

/** `patternProperties` makes expressions without the keyword `pattern` too: where it closes an object, it leaves it open. */
export const anyText = Object.assign(() => ({ test: () => true }), { code: 'anyText' })

/**
 * Rules of a document of others that made-up data could keep busy for minutes, and every other call with it: their regular expressions,
 * and comparing each entry of a list with each. The upstream checks these itself.
 */
export function withoutSlowRules(ajv: Ajv): Ajv {
  for (const keyword of ['uniqueItems', 'pattern', 'patternProperties']) ajv.removeKeyword(keyword)
  return ajv
}

// Documents of others carry keywords of their own, so unknown ones are ignored; an unknown format checks nothing.
const options = { strict: false, logger: false, validateFormats: true, code: { regExp: anyText } } as const

/**
 * The input described by `schema` (2020-12, or draft-07 by its `$schema`): an object with `properties`, each reference within the
 * schema. Compiled once, at first use: most operations of a large upstream are never called.
 */
export function jsonInput(schema: JsonSchema): JsonInput {
  const jsonSchema = { type: 'object', properties: {}, additionalProperties: false, ...schema } as JsonSchema
  const names = Object.freeze(Object.keys(jsonSchema.properties as JsonSchema))
  let compiled: ValidateFunction | undefined
  const compile = (): ValidateFunction => {
    if (compiled) return compiled
    // An instance for each schema: equal $ids in two documents are no conflict, and dropped tools leave nothing behind.
    const isOld = String(schema.$schema ?? '').includes('draft-07')
    const ajv = withoutSlowRules(isOld ? new Ajv(options) : new Ajv2020(options))
    formats.default(ajv)
    compiled = ajv.compile(jsonSchema)
    return compiled
  }
  return Object.freeze({
    jsonSchema,
    names,
    check: () => void compile(),
    parse(input: unknown) {
      const validate = compile()
      if (validate(input)) return input as Record<string, unknown>
      throw errorOf(validate.errors![0]!, names, input)
    },
  })
}

function errorOf(error: ErrorObject, names: readonly string[], input: unknown): AppError {
  const path = error.instancePath.split('/').slice(1).map(pointerStep)
  const { params, keyword } = error
  if (path.length === 0 && keyword === 'additionalProperties')
    return unknownInput(String(params.additionalProperty), names)
  if (keyword === 'required') return missingInput([...path, String(params.missingProperty)].join('.'))
  const param = path.join('.')
  if (param === '')
    return keyword === 'type'
      ? inputShapeError(names)
      : new AppError('invalid_parameter', `The input ${error.message}.`)
  if (keyword === 'enum')
    return notAllowed(param, (params.allowedValues as unknown[]).map(String), valueAt(input, path))
  if (keyword === 'const') return notAllowed(param, [String(params.allowedValue)], valueAt(input, path))
  if (keyword === 'additionalProperties')
    return invalidValue(param, `must not have the property "${clip(String(params.additionalProperty))}"`)
  return invalidValue(param, error.message ?? 'is not valid')
}

/** A step of a JSON pointer (RFC 6901). */
const pointerStep = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

function valueAt(input: unknown, path: string[]): unknown {
  let value: unknown = input
  for (const step of path) value = (value as Record<string, unknown> | undefined)?.[step]
  return value
}
