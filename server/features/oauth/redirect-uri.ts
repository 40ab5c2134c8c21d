const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/
/**
 * A scheme that a program owns: a domain in reverse, so with a dot (RFC 8252, 7.1), or that of a known client, all of which
 * chose one without. Anything else a browser might run, read or hand to a program that expects other data.
 */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/
const KNOWN_CLIENTS = new Set([
  'claude:',
  'cursor:',
  'goose:',
  'raycast:',
  'vscode:',
  'vscode-insiders:',
  'vscodium:',
  'warp:',
  'windsurf:',
  'zed:',
])

/** Whether a client may be answered there: https, http on this machine, or a scheme of an installed program. */
export function isAllowedRedirect(uri: string): boolean {
  if (!URL.canParse(uri) || uri.includes('#') || uri.length > 2_000) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username || password) return false
  if (protocol === 'https:') return true
  if (protocol === 'http:') return LOOPBACK.test(hostname)
  return KNOWN_CLIENTS.has(protocol) || PRIVATE_USE.test(protocol)
}

/** Exact, except for the port of a program on this machine, which changes with each start (RFC 8252, 7.3). */
export function matchesRedirect(registered: string, given: string): boolean {
  if (registered === given) return true
  const [a, b] = [new URL(registered), new URL(given)]
  if (a.protocol !== 'http:' || !LOOPBACK.test(a.hostname)) return false
  a.port = ''
  b.port = ''
  return a.href === b.href
}

/** Where the browser takes the result of an authorization; `iss` among `parameters` names this server (RFC 9207). */
export function answerUrl(redirectUri: string, parameters: Record<string, string | null>): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value)
  return url.toString()
}
