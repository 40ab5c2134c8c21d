import type { IncomingMessage } from 'node:http'
import { AppError } from './errors.ts'

/** `host` or `host:port`: a name, an IPv4 address, or an IPv6 address in brackets (RFC 3986, 3.2.2). Empty is allowed. */
export const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[-._~!$&'()*+,;=%0-9A-Za-z]*)(?::\d*)?$/

/**
 * Why a message that Node could parse is not served; null: nothing is wrong. HTTP/1.0 is served, without Host, because
 * load balancers speak it. A second or malformed Host could mean another server to a proxy than to us (RFC 9112, 3.2).
 */
export function refuseMessage({ httpVersion, method, url, rawHeaders }: IncomingMessage): AppError | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return new AppError('http_version_not_supported')
  if (url === '*' && method !== 'OPTIONS')
    return new AppError(
      'malformed_request',
      'The address * is for OPTIONS alone. Send a path that begins with a slash.',
    )
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length !== 4 || rawHeaders[i]!.toLowerCase() !== 'host') continue
    if (++hosts > 1) return new AppError('malformed_request', 'The request has more than one Host header.')
    if (!HOST.test(rawHeaders[i + 1]!))
      return new AppError('malformed_request', 'The Host header is not a host name with an optional port.')
  }
  if (hosts === 0 && httpVersion === '1.1')
    return new AppError('malformed_request', 'The request has no Host header, which HTTP/1.1 requires.')
  return null
}
