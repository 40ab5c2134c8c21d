/** Fields whose values let somebody in. */
const NAMES =
  /^(access_token|refresh_token|provider_token|provider_refresh_token|token|token_hash|hashed_token|email_otp|auth_code|code|code_verifier|id_token|nonce|password|current_password|secret|client_secret)$/
/** Error codes travel as `code` too. */
const WORD = /^[a-z_]{3,}$/

/**
 * Records every secret that this process sends or receives over HTTP from now on: named fields of bodies, queries,
 * fragments and redirects, bearer tokens, and cookies. `stop` gives fetch back as it was.
 */
export function recordTraffic(): { secrets: Set<string>; visited: Set<string>; stop: () => void } {
  const secrets = new Set<string>()
  const visited = new Set<string>()
  const add = (name: string, value: unknown) => {
    if (typeof value === 'string' && value.length >= 6 && NAMES.test(name) && !WORD.test(value)) secrets.add(value)
  }
  const addPairs = (pairs: Iterable<[string, string]>) => {
    for (const [name, value] of pairs) add(name, value)
  }
  const addUrl = (text: string) => {
    if (!URL.canParse(text)) return
    const { searchParams, hash } = new URL(text)
    addPairs(searchParams)
    addPairs(new URLSearchParams(hash.slice(1)))
  }
  const addJson = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      add(name, inner)
      if (typeof inner === 'string') addUrl(inner)
      addJson(inner)
    }
  }
  const addBody = (body: unknown) => {
    if (body instanceof URLSearchParams) return addPairs(body)
    if (typeof body !== 'string') return
    try {
      addJson(JSON.parse(body))
    } catch {
      // JSON that is broken on purpose: what stands in quotes may be a secret.
      if (body.startsWith('{')) for (const [, text] of body.matchAll(/"([^"\s]{12,})"/g)) secrets.add(text!)
    }
  }

  const real = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const url = new URL(String(input))
    visited.add(`${init?.method ?? 'GET'} ${url.pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')}`)
    addUrl(url.toString())
    addBody(init?.body)
    const sent = new Headers(init?.headers)
    const bearer = sent.get('authorization')?.split(' ')[1]
    if (bearer) secrets.add(bearer)
    const response = await real(input, init)
    addUrl(new URL(response.headers.get('location') ?? '', url).toString())
    for (const cookie of response.headers.getSetCookie()) {
      const value = cookie.split(';', 1)[0]!.split('=')[1] ?? ''
      if (value.length >= 6) secrets.add(value)
    }
    addBody(await response.clone().text())
    return response
  }
  return {
    secrets,
    visited,
    stop() {
      globalThis.fetch = real
    },
  }
}
