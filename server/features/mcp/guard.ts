import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../config/config.ts'
import { httpError, type McpReply } from './message.ts'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Refuses requests that a web page could be tricked into sending (DNS rebinding). Host must be that of PUBLIC_URL or a
 * loopback name. A server on loopback accepts only loopback origins; a public one accepts any, because it reads no
 * cookies: nothing is served without the key in the request. Returns null when the request may continue.
 */
export function createGuard(config: Config): (headers: IncomingHttpHeaders) => McpReply | null {
  const publicHost = new URL(config.PUBLIC_URL).hostname
  const isLocal = LOOPBACK.test(publicHost)
  return ({ host, origin }) => {
    const hostname = hostnameOf(`http://${host ?? ''}`)
    if (hostname !== publicHost && !LOOPBACK.test(hostname)) {
      return httpError(
        403,
        `This server answers at ${config.PUBLIC_URL}. Its operator sets PUBLIC_URL to the address that clients use.`,
        'forbidden',
      )
    }
    if (origin === undefined || !isLocal) return null
    if (LOOPBACK.test(hostnameOf(origin))) return null
    return httpError(403, 'Web pages from this origin may not call a local server.', 'forbidden')
  }
}

const MAX_KNOWN = 100
const known = new Map<string, string>()

/**
 * Empty for anything that is not a URL, including `null` origins. Cached: a server sees few hosts, and each call has
 * one.
 */
function hostnameOf(url: string): string {
  const before = known.get(url)
  if (before !== undefined) return before
  const hostname = URL.canParse(url) ? new URL(url).hostname : ''
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(url, hostname)
  return hostname
}
