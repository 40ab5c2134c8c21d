import { createHash } from 'node:crypto'
import { hmacSha256 } from '../../../hmac.ts'
import type { UpstreamRequest } from './build-request.ts'

/** Whom a call is for. The upstream can trust these, because they are signed. */
export interface CallerNames {
  account: string
  /** Null: the playground, on behalf of a signed-in person. */
  key: string | null
  request: string
}

/** Headers of the request itself that change what it does. */
const ALSO_COVERED = ['content-type', 'idempotency-key']

/**
 * Headers that say whom the request is for, with an HTTP message signature (RFC 9421, hmac-sha256) over method, host, path, query, the
 * type and digest of the body, the idempotency key, these headers and the time. `secret` is the upstream's signing key, `nowS` the time in seconds.
 */
export function signatureHeaders(
  { method, path, headers: given, body }: UpstreamRequest,
  authority: string,
  { account, key, request }: CallerNames,
  secret: Buffer,
  nowS: number,
): Record<string, string> {
  const mark = path.indexOf('?')
  const headers: Record<string, string> = {
    ...(body !== null && { 'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:` }),
    'finmeter-account': account,
    ...(key !== null && { 'finmeter-key': key }),
    'finmeter-request': request,
  }
  const covered = {
    '@method': method,
    '@authority': authority,
    '@path': mark === -1 ? path : path.slice(0, mark),
    '@query': mark === -1 ? '?' : path.slice(mark),
    ...Object.fromEntries(ALSO_COVERED.filter((name) => name in given).map((name) => [name, given[name]])),
    ...headers,
  }
  const parameters = `(${Object.keys(covered)
    .map((name) => `"${name}"`)
    .join(' ')});created=${nowS};keyid="finmeter";alg="hmac-sha256"`
  const base = [
    ...Object.entries(covered).map(([name, value]) => `"${name}": ${value}`),
    `"@signature-params": ${parameters}`,
  ].join('\n')
  return {
    ...headers,
    'signature-input': `finmeter=${parameters}`,
    signature: `finmeter=:${hmacSha256(secret, base).toString('base64')}:`,
  }
}
