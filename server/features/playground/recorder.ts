import type { Exchange } from '#contract/playground.ts'

const MAX_TEXT = 64 * 1024
const MAX_EXCHANGES = 20
const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

/** A `fetch` that notes what went to `url`. Headers are not noted, nor what a sign-in sends elsewhere: they hold credentials. */
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
        status: answer.status,
        contentType: answer.headers.get('content-type') ?? '',
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
