const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/
/** What a browser would run or read here instead of handing it to a program. */
const REFUSED = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'filesystem:',
  'ws:',
  'wss:',
  'ftp:',
])

/** Whether a client may be answered there: https, http on this machine, or a scheme of an installed program. */
export function isAllowedRedirect(uri: string): boolean {
  if (!URL.canParse(uri) || uri.includes('#') || uri.length > 2_000) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username || password) return false
  if (protocol === 'https:') return true
  if (protocol === 'http:') return LOOPBACK.test(hostname)
  return !REFUSED.has(protocol)
}

/** Exact, but for the port of a program on this machine, which is another one each time (RFC 8252). */
export function matchesRedirect(registered: string, given: string): boolean {
  if (registered === given) return true
  const [a, b] = [new URL(registered), new URL(given)]
  if (a.protocol !== 'http:' || !LOOPBACK.test(a.hostname)) return false
  a.port = ''
  b.port = ''
  return a.href === b.href
}

/** The answer of an authorization, with who answers (RFC 9207). */
export function answerUrl(redirectUri: string, parameters: Record<string, string | null>): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value)
  return url.toString()
}
