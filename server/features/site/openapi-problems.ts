import { type ErrorCode, errorCatalog } from '#contract/errors.ts'
import type { JsonSchema } from '../tools/register-tool.ts'
import { ref } from './openapi-components.ts'

export const errorsOfCalls: ErrorCode[] = [
  'invalid_parameter',
  'key_missing',
  'key_invalid',
  'insufficient_credits',
  'key_budget_exceeded',
  'forbidden',
  'account_suspended',
  'not_entitled',
  'unknown_symbol',
  'data_changed',
  'idempotency_mismatch',
  'rate_limited',
  'internal_error',
  'upstream_failed',
  'metering_unavailable',
  'tool_timeout',
]
/** Of calls that an upstream answers: what it does not have is its own 404. */
export const errorsOfUpstreams = errorsOfCalls.filter((code) => code !== 'unknown_symbol')
export const errorsOfBodies: ErrorCode[] = ['bad_json', 'payload_too_large', 'unsupported_media_type']

function headersOfProblem(status: number): JsonSchema {
  if (status === 402)
    return Object.fromEntries(['X-Credits-Charged', 'X-Credits-Remaining'].map((name) => [name, ref('headers', name)]))
  if (status === 429 || status === 503)
    return { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait.' } }
  return {}
}

/** The error responses of an operation, by status. */
export function problems(codes: ErrorCode[]): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(codes, (code) => errorCatalog[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `${code}: ${errorCatalog[code].text}`).join('\n'),
        headers: headersOfProblem(status),
        content: { 'application/problem+json': { schema: ref('schemas', 'Problem') } },
      },
    ]),
  )
}
