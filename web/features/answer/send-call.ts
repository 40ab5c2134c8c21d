/** A request to the Data API, without its origin and key. */
export interface Call {
  path: string
  /** JSON; makes the request a POST, unless `method` says otherwise. */
  body?: unknown
  method?: string
  headers?: Record<string, string>
}

/** The response as the browser got it. Headers that the server did not send are null. */
export interface Answer {
  status: number
  /** When it arrived; null if it is a recorded one. */
  at: Date | null
  durationMs: number
  charged: number | null
  remaining: number | null
  receipt: string | null
  body: unknown
}

const TIMEOUT_MS = 15_000

/** Sends a call with a key. Throws only if there is no response, or if `signal` ends it; errors of the API are answers. */
export async function sendCall(
  { path, body, method, headers }: Call,
  key: string,
  signal?: AbortSignal,
): Promise<Answer> {
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(path, {
    // Otherwise the browser may ask whether its copy is still valid: then the call is free, and not the one that was shown.
    cache: 'no-store',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    headers: {
      ...headers,
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const header = (name: string) => response.headers.get(name)
  const count = (name: string) => {
    const value = header(name)
    return value === null ? null : Number(value)
  }
  return {
    status: response.status,
    at: new Date(),
    durationMs: performance.now() - startedAt,
    charged: count('x-credits-charged'),
    remaining: count('x-credits-remaining'),
    receipt: header('x-receipt-id'),
    body: parse(text),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
