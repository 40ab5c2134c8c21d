import { hash } from 'node:crypto'
import type { Table } from '../tools/define-tool.ts'
import type { RestBody } from './rest-body.ts'

/**
 * A strong validator: equal for the same bytes. A streamed answer has no bytes yet, so its validator is weak and
 * derived from the request and the facts that determine the answer, including the data version.
 */
export function etagOf(
  { content }: RestBody,
  output: unknown,
  request: { params: object; query: string; headers: { accept?: string | undefined } },
): string {
  const whole = typeof content === 'string' || Buffer.isBuffer(content)
  if (whole) return `"${hash('sha1', content, 'base64url')}"`
  const { params, query, headers } = request
  const { meta } = output as Table
  return `W/"${hash('sha1', JSON.stringify([params, query, headers.accept, meta]), 'base64url')}"`
}

/** Whether `If-None-Match` names this validator (RFC 9110, weak comparison). */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  const plain = (one: string) => one.trim().replace(/^W\//, '')
  return header.split(',').some((one) => plain(one) === plain(etag))
}
