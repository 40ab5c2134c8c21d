import type { Exchange } from '#contract/playground.ts'

const MAX_TEXT = 64 * 1024
const MAX_EXCHANGES = 20
const MAX_HEADERS = 50
const MAX_HEADER_TEXT = 500
/** Headers of the protocol. All others may be credentials: a server accepts a key in a header of any name. */
const SHOWN = /^(accept|content-type|mcp-(method|name|protocol-version|session-id|param-.*))$/
const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

const headersOf = (headers: Iterable<[string, string]>, wanted: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    [...headers]
      .filter(([name]) => wanted(name))
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [name, value.slice(0, MAX_HEADER_TEXT)]),
  )

/**
 * A `fetch` that records traffic to `url`, without credentials: neither those in headers nor what a sign-in sends
 * elsewhere.
 */
export function recorded(inner: typeof fetch, url: URL): { fetch: typeof fetch; exchanges: Exchange[] } {
  const exchanges: Exchange[] = []
  return {
    exchanges,
    async fetch(input, init) {
      const startedAt = performance.now()
      const request = typeof init?.body === 'string' ? init.body : ''
      const answer = await inner(input, init)
      if (exchanges.length >= MAX_EXCHANGES || init?.method !== 'POST' || String(input) !== url.href) return answer
      const text = answer.body ? await answer.text() : ''
      exchanges.push({
        method: methodOf(request),
        request: cut(request),
        requestHeaders: headersOf(new Headers(init.headers), (name) => SHOWN.test(name)),
        status: answer.status,
        contentType: answer.headers.get('content-type') ?? '',
        responseHeaders: headersOf(answer.headers, (name) => name !== 'set-cookie'),
        response: cut(text),
        requestBytes: Buffer.byteLength(request),
        responseBytes: Buffer.byteLength(text),
        durationMs: Math.round(performance.now() - startedAt),
      })
      return new Response(answer.body ? text : null, { status: answer.status, headers: answer.headers })
    },
  }
}

function methodOf(text: string): string {
  try {
    const { method } = JSON.parse(text) as { method?: unknown }
    return typeof method === 'string' ? method.slice(0, 100) : 'response'
  } catch {
    return 'unknown'
  }
}
