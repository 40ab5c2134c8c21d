import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest()

/** Signature version 4, computed from the request as it arrived. */
export function isSigned(request: IncomingMessage, access: { accessKeyId: string; secretAccessKey: string }): boolean {
  const given = request.headers.authorization ?? ''
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^/]+\/s3\/aws4_request), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      given,
    )
  if (!parts || parts[1] !== access.accessKeyId) return false
  const [, , scope, names, signature] = parts as unknown as [string, string, string, string, string]
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const [path, query = ''] = (request.url ?? '').split('?')
  const canonical = [
    request.method,
    path,
    query.split('&').sort().join('&'),
    headers.join(''),
    names,
    request.headers['x-amz-content-sha256'],
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const [day, region, service, end] = scope.split('/') as [string, string, string, string]
  const key = hmac(hmac(hmac(hmac(`AWS4${access.secretAccessKey}`, day), region), service), end)
  return hmac(key, text).toString('hex') === signature
}
