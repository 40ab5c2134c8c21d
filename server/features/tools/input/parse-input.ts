import type { z } from 'zod'
import type { AppError } from '../../../http/errors.ts'
import type { InputShape } from '../define-tool.ts'
import { inputShapeError, invalidValue, missingInput, notAllowed, unknownInput } from './input-errors.ts'

/** Parses the input of a tool. The parser throws invalid_parameter, naming the first wrong input and what is allowed. */
export function parserOf(shape: InputShape, names: readonly string[]): (input: unknown) => Record<string, unknown> {
  if ('jsonSchema' in shape) return shape.parse
  return (input) => {
    const parsed = shape.safeParse(input)
    if (parsed.success) return parsed.data
    throw inputError(names, parsed.error.issues[0]!, input)
  }
}

function inputError(inputNames: readonly string[], issue: z.core.$ZodIssue, input: unknown): AppError {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) return unknownInput(issue.keys[0]!, inputNames)
  const param = nameOf(issue, input)
  if (param === '') return inputShapeError(inputNames)
  if (isMissing(input, issue)) return missingInput(param)
  if (issue.code === 'invalid_value') return notAllowed(param, issue.values.map(String), valueAt(input, issue))
  return invalidValue(param, issue.message)
}

/** When a list was sent as text, the caller knows its name but not the position of an entry. */
function nameOf({ path }: z.core.$ZodIssue, input: unknown): string {
  const given = (input as Record<PropertyKey, unknown> | undefined)?.[path[0]!]
  return (Array.isArray(given) ? path : path.filter((step) => typeof step !== 'number')).join('.')
}

function valueAt(input: unknown, { path }: z.core.$ZodIssue): unknown {
  let value: unknown = input
  for (const step of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[step]
  return value
}

const isMissing = (input: unknown, issue: z.core.$ZodIssue): boolean => valueAt(input, issue) === undefined
