import { z } from 'zod'
import type { $ZodErrorMap, $ZodRawIssue } from 'zod/v4/core'

/** Sets the default zod messages, as sentence fragments: "limit: must be at least 1". A schema's own message comes first. */
export function describeIssues(): void {
  z.config({ customError: describeIssue })
}

const describeIssue: $ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : types[issue.expected]
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of: ${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.map((key) => `"${clip(key)}"`).join(', ')}`
    case 'invalid_format':
      return formats[issue.format]
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    default:
      return undefined
  }
}

const types: Record<string, string | undefined> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
}

const formats: Record<string, string | undefined> = {
  uuid: 'must be a UUID',
  url: 'must be a URL',
  email: 'must be an email address',
  date: 'must be a date such as 2026-01-31',
  datetime: 'must be an instant such as 2026-01-31T14:30:00Z',
}

const sizes: Record<string, [one: string, many: string] | undefined> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

function tooSmall({ origin, minimum, inclusive }: Extract<$ZodRawIssue, { code: 'too_small' }>): string {
  const size = sizes[origin]
  if (size) return Number(minimum) === 1 ? 'must not be empty' : `must have at least ${count(minimum, size)}`
  return inclusive === false ? `must be more than ${minimum}` : `must be at least ${minimum}`
}

function tooBig({ origin, maximum, inclusive }: Extract<$ZodRawIssue, { code: 'too_big' }>): string {
  const size = sizes[origin]
  if (size) return `must have at most ${count(maximum, size)}`
  return inclusive === false ? `must be less than ${maximum}` : `must be at most ${maximum}`
}

const count = (amount: number | bigint, [one, many]: [string, string]): string =>
  `${amount} ${Number(amount) === 1 ? one : many}`

const MAX_ECHO_LENGTH = 60

/** Only the beginning of a caller's input is echoed. */
const clip = (text: string): string => (text.length > MAX_ECHO_LENGTH ? `${text.slice(0, MAX_ECHO_LENGTH)}…` : text)
