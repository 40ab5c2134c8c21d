import { hash } from 'node:crypto'
import type { RestBody } from './rest-body.ts'

/** A strong validator: equal for the same bytes. */
export const etagOf = ({ content }: RestBody): string => `"${hash('sha1', content, 'base64url')}"`

/** Whether `If-None-Match` names this validator (RFC 9110, weak comparison). */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}
