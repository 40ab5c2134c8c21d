import type { z } from 'zod'
import { AppError } from '../../http/errors.ts'
import type { RegisteredTool } from './registry.ts'

/** The input as the tool wants it. Throws invalid_parameter, naming the first wrong input and what is allowed. */
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
    })
  }
  // Of a list given as text the caller knows its name, not the place of an entry.
  const param = (typeof issue.path.at(-1) === 'number' ? issue.path.slice(0, -1) : issue.path).join('.')
  if (param === '')
    return new AppError(
      'invalid_parameter',
      `The input must be an object with the parameters: ${inputNames.join(', ')}.`,
    )
  if (isMissing(input, issue)) return new AppError('invalid_parameter', `${param} is required.`, { param })
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map(String)
    return new AppError('invalid_parameter', `${param} must be one of: ${allowed.join(', ')}.`, { param, allowed })
  }
  return new AppError('invalid_parameter', `${param}: ${issue.message}.`, { param })
}

function isMissing(input: unknown, issue: z.core.$ZodIssue): boolean {
  let value: unknown = input
  for (const step of issue.path) value = (value as Record<PropertyKey, unknown> | undefined)?.[step]
  return value === undefined
}

const MAX_ECHO_LENGTH = 60

/** What a caller sent is repeated to him only in part. */
const clip = (text: string): string => (text.length > MAX_ECHO_LENGTH ? `${text.slice(0, MAX_ECHO_LENGTH)}…` : text)
