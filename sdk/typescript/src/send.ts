import { FinmeterError, lost, readProblem } from './errors.ts'

/** Settings of every call; a call can override them. */
export interface CallOptions {
  /** Charges this call once within 24 hours, whichever process repeats it. Default: a new key for each call. */
  idempotencyKey?: string
  /** Cancels the call, and any waiting between tries. */
  signal?: AbortSignal
  /** Longest time without progress: until the answer is complete, or between two pieces of a stream. Default 30,000. */
  timeoutMs?: number
  /** How often a failed try is repeated. Default 4. Waiting for a rate limit does not count. */
  retries?: number
  /** Longest time spent waiting between tries, including for a rate limit. Default 120,000. */
  maxWaitMs?: number
}

/** Settings of a call that returns rows. */
export interface TableOptions extends CallOptions {
  /** Iterating requests page after page, each a paid call, until `limit` rows or the end. Default: iterating sends one call. */
  pages?: boolean
}

export interface Transport {
  fetch: typeof fetch
  key: string
  options: CallOptions
}

const RETRIED = new Set([408, 429, 500, 502, 503, 504])
/** `conflict`: an earlier try of this call is still in progress. */
const isRetried = ({ status, code }: FinmeterError) => status === 0 || RETRIED.has(status) || code === 'conflict'
const FIRST_WAIT_MS = 250
const LONGEST_BACKOFF_MS = 8_000

/** 128 random bits. `crypto.randomUUID` is missing on pages without https. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Sends a request until `read` has a complete answer. Every try has the same idempotency key, so the server charges once even
 * if an answer was lost on the way. `read` belongs to the try: a body that breaks off is sent for again.
 */
export async function send<T>(
  { fetch, key, options: defaults }: Transport,
  { url, method, body }: { url: URL; method: string; body: string | null },
  options: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const {
    signal,
    timeoutMs = 30_000,
    retries = 4,
    maxWaitMs = 120_000,
    idempotencyKey = newKey(),
  } = {
    ...defaults,
    ...options,
  }
  const headers: Record<string, string> = { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey }
  if (body !== null) headers['content-type'] = 'application/json'
  let waitedMs = 0
  for (let failures = 0; ; ) {
    const failure = await once()
    if (!(failure instanceof FinmeterError)) return failure.answer
    failure.idempotencyKey = idempotencyKey
    const limited = failure.status === 429
    // Waiting for a rate limit is bounded by time alone.
    if (!limited || failure.retryAfterSeconds === undefined) failures++
    if (failures > retries || !isRetried(failure)) throw failure
    const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)
    // The server's time, and a little more, so that waiting clients do not all return in the same instant.
    const waitMs =
      failure.retryAfterSeconds === undefined ? backoffMs : failure.retryAfterSeconds * 1000 + Math.random() * 250
    waitedMs += waitMs
    if (waitedMs > maxWaitMs) throw failure
    await sleep(waitMs, signal)
  }

  async function once(): Promise<FinmeterError | { answer: T }> {
    signal?.throwIfAborted()
    const abort = new AbortController()
    const cancel = () => abort.abort(signal?.reason)
    signal?.addEventListener('abort', cancel, { once: true })
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      abort.abort()
    }, timeoutMs)
    try {
      const response = await fetch(url, { method, headers, body, signal: abort.signal, redirect: 'error' })
      if (!response.ok) return await readProblem(response)
      return { answer: await read(response) }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof FinmeterError) return error
      if (timedOut) return lost('timed_out', `No answer within ${timeoutMs} ms.`, error)
      if (error instanceof SyntaxError) return lost('bad_answer', 'The answer was cut off or is not JSON.', error)
      return lost('connection_failed', 'The connection failed, or broke off before the answer was complete.', error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const cancel = () => {
      clearTimeout(timer)
      fail(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel)
      done()
    }, ms)
    signal?.addEventListener('abort', cancel, { once: true })
    if (signal?.aborted) cancel()
  })
}
