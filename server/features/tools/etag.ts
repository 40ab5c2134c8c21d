import { hash } from 'node:crypto'
import type { Table } from './define-tool.ts'
import type { RestBody } from './rest-body.ts'

/**
 * A strong validator: equal for the same bytes. A streamed answer has no bytes yet; its validator is weak and made of what decides
 * them, which is the request and the facts about the answer, among them the version of the data.
 */
export function etagOf(
  { content }: RestBody,
  output: unknown,
  request: { params: object; query: string; accept: string | undefined },
): string {
  const whole = typeof content === 'string' || Buffer.isBuffer(content)
  if (whole) return `"${hash('sha1', content, 'base64url')}"`
  const { params, query, accept } = request
  const { meta } = output as Table
  return `W/"${hash('sha1', JSON.stringify([params, query, accept, meta]), 'base64url')}"`
}

/** Whether `If-None-Match` names this validator (RFC 9110, weak comparison). */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  const plain = (one: string) => one.trim().replace(/^W\//, '')
  return header.split(',').some((one) => plain(one) === plain(etag))
}
