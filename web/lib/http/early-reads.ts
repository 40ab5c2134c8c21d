declare global {
  /** Requests started by a script in the page's head (read-early.ts) while the application was still loading. */
  var earlyReads: EarlyReads | undefined
}

export interface EarlyReads {
  /** The headers sent: a response is reused only for a request with the same ones. */
  authorization: string
  /** Keyed by path and query. */
  answers: Record<string, { workspace: string | null; answer: Promise<Response> } | undefined>
}

/** Responses not used within 10 s of page start are stale: later requests go to the server. */
const takenWithinMs = 10_000

/** `fetch` that returns the response of an early read, once, if there is one. */
export const fetchEarly: typeof fetch = (input, init) => {
  const { authorization, answers } = globalThis.earlyReads ?? {}
  if (!answers || !(input instanceof Request) || performance.now() > takenWithinMs) return fetch(input, init)
  const { origin, pathname, search } = new URL(input.url)
  const early = answers[pathname + search]
  const fits =
    early &&
    input.method === 'GET' &&
    origin === location.origin &&
    input.headers.get('authorization') === authorization &&
    input.headers.get('x-workspace-id') === early.workspace
  if (!fits) return fetch(input, init)
  delete answers[pathname + search]
  return early.answer
}
