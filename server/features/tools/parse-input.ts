import type { z } from 'zod'
import { AppError } from '../../http/errors.ts'
import { nearestNames } from './nearest-names.ts'
import type { RegisteredTool } from './registry.ts'

/** The parsed input. Throws invalid_parameter, naming the first wrong input and what is allowed. */
export function parseInput(entry: RegisteredTool, input: unknown): Record<string, unknown> {
  const parsed = entry.tool.input.safeParse(input)
  if (parsed.success) return parsed.data
  throw inputError(entry, parsed.error.issues[0]!, input)
}

function inputError({ inputNames }: RegisteredTool, issue: z.core.$ZodIssue, input: unknown): AppError {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    const param = issue.keys[0]!
    const allowed =
      inputNames.length > 0 ? `Known parameters: ${inputNames.join(', ')}.` : 'This call takes no parameters.'
    return new AppError('invalid_parameter', `Unknown parameter "${clip(param)}". ${allowed}`, {
      param: clip(param),
      allowed: inputNames,
      ...nearest(param, inputNames),
    })
  }
  const param = nameOf(issue, input)
  if (param === '')
    return new AppError(
      'invalid_parameter',
      `The input must be an object with the parameters: ${inputNames.join(', ')}.`,
    )
  if (isMissing(input, issue)) return new AppError('invalid_parameter', `${param} is required.`, { param })
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map(String)
    return new AppError('invalid_parameter', `${param} must be one of: ${allowed.join(', ')}.`, {
      param,
      allowed,
      ...nearest(valueAt(input, issue), allowed),
    })
  }
  const about = issue.message.startsWith('must ') ? ' ' : ': '
  return new AppError('invalid_parameter', `${param}${about}${issue.message}.`, { param })
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

const MOST_SUGGESTIONS = 3
/** Below this length, every short word would match. */
const LEAST_LETTERS = 3

/** A suggestion, as part of an error's detail. */
export function nearest(given: unknown, allowed: readonly string[]): { suggestions?: string[] } {
  const isWord = typeof given === 'string' && given.length >= LEAST_LETTERS
  const suggestions = isWord ? nearestNames(given, allowed).slice(0, MOST_SUGGESTIONS) : []
  return suggestions.length > 0 ? { suggestions } : {}
}

const MAX_ECHO_LENGTH = 60

/** A caller's input is quoted only in part. */
const clip = (text: string): string => (text.length > MAX_ECHO_LENGTH ? `${text.slice(0, MAX_ECHO_LENGTH)}…` : text)
