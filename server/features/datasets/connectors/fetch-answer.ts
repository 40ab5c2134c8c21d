import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { firstBytes } from '../../../net/first-bytes.ts'
import { BadAnswer, beginning, RefusedByName, type SourceRequest } from './connector.ts'
import { withoutSecret } from './hide-secret.ts'
import type { HostLimits } from './host-limits.ts'

export const MAX_TRIES = 4
export const LONGEST_WAIT_MS = 120_000
const BLOCK_MS = 600_000
const MAX_BYTES = 4_000_000_000

/** What a source sent to recognize an unchanged answer by. */
export interface Validators {
  etag?: string
  lastModified?: string
}

export type Fetched =
  | { outcome: 'body'; bytes: number; validators: Validators }
  | { outcome: 'unchanged' }
  | { outcome: 'missing' }

/** The source wants fewer requests. The run stops and can go on after `retryAtMs`. */
export class Throttled extends Error {
  override name = 'Throttled'
  readonly retryAtMs: number
  constructor(message: string, retryAtMs: number) {
    super(message)
    this.retryAtMs = retryAtMs
  }
}

export interface Wire {
  limits: HostLimits
  userAgent: string
  secret: string | null
  /** Setting with the secret, for messages. */
  secretName: string | null
  /** How long to wait after 429 if the answer does not say; null: a little longer each time. */
  throttledMs: number | null
  timeoutMs: number
  /** Where a URL is really requested: the sandbox stands in for every host. */
  via: (url: string) => string
  now: () => number
  sleep: (ms: number) => Promise<void>
}

/**
 * Downloads one answer to `path`. Waits as the source asks, and tries again what may pass. Throws Throttled when the
 * wait is too long, BadAnswer for a web page or an incomplete answer, Error for what a repetition cannot help. No
 * message contains the secret.
 */
export async function fetchAnswer(
  request: SourceRequest,
  known: Validators,
  path: string,
  wire: Wire,
): Promise<Fetched> {
  for (let tries = 1; ; tries++) {
    await wire.limits.turn(new URL(request.url).host)
    const outcome = await attempt(request, known, path, wire)
    if (!('retryMs' in outcome)) return outcome
    const waitMs = outcome.retryMs ?? 1000 * 2 ** tries
    if (outcome.throttled && waitMs > LONGEST_WAIT_MS) throw new Throttled(outcome.why, wire.now() + waitMs)
    if (tries >= MAX_TRIES) {
      if (outcome.throttled) throw new Throttled(outcome.why, wire.now() + waitMs)
      throw new BadAnswer(`${outcome.why} (${MAX_TRIES} tries)`)
    }
    await wire.sleep(Math.min(waitMs, LONGEST_WAIT_MS))
  }
}

type Again = { retryMs: number | null; throttled: boolean; why: string }

async function attempt(request: SourceRequest, known: Validators, path: string, wire: Wire): Promise<Fetched | Again> {
  const fill = (text: string, written = (secret: string) => secret) =>
    text.replaceAll('{secret}', () => written(wire.secret ?? ''))
  const stalled = new AbortController()
  let timer = setTimeout(() => stalled.abort(), wire.timeoutMs)
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => stalled.abort(), wire.timeoutMs)
  }
  try {
    const answer = await fetch(wire.via(fill(request.url, encodeURIComponent)), {
      method: request.body === undefined ? 'GET' : 'POST',
      ...(request.body !== undefined && { body: fill(request.body) }),
      headers: {
        'user-agent': wire.userAgent,
        'accept-encoding': 'gzip, deflate',
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
        ...(known.etag && { 'if-none-match': known.etag }),
        ...(known.lastModified && { 'if-modified-since': known.lastModified }),
        ...Object.fromEntries(Object.entries(request.headers ?? {}).map(([name, value]) => [name, fill(value)])),
      },
      // A redirect could carry a key to another host.
      redirect: 'error',
      signal: stalled.signal,
    })
    if (answer.status === 304) return { outcome: 'unchanged' }
    if (!answer.ok) return await refusal(answer, wire)
    let bytes = 0
    async function* counted(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        alive()
        bytes += chunk.length
        if (bytes > MAX_BYTES) throw new BadAnswer('the answer is larger than 4 GB')
        yield chunk
      }
    }
    if (!answer.body) throw new BadAnswer('the answer is empty')
    await pipeline(answer.body as AsyncIterable<Uint8Array>, counted, createWriteStream(path))
    await refuseWebPage(path, answer.headers.get('content-type') ?? '')
    const [etag, lastModified] = [answer.headers.get('etag'), answer.headers.get('last-modified')]
    return { outcome: 'body', bytes, validators: { ...(etag && { etag }), ...(lastModified && { lastModified }) } }
  } catch (error) {
    if (error instanceof BadAnswer || error instanceof Throttled || error instanceof RefusedByName) throw error
    const why = stalled.signal.aborted
      ? `no data for ${wire.timeoutMs / 1000} s`
      : 'the connection failed or ended in the middle of the answer'
    return { retryMs: null, throttled: false, why }
  } finally {
    clearTimeout(timer)
  }
}

/** Sources use 403 for a missing object, too many requests and an unnamed client alike; only the text tells. */
async function refusal(answer: Response, wire: Wire): Promise<Fetched | Again> {
  const text = withoutSecret((await firstBytes(answer, 20_000)).bytes.toString(), wire.secret)
  const { status } = answer
  if (status === 404 || /<Code>(NoSuchKey|AccessDenied)<\/Code>/.test(text)) return { outcome: 'missing' }
  if (status === 403 && /undeclared automated tool/i.test(text))
    throw new RefusedByName(
      'the source refuses clients that do not name a contact. Give your address: --contact you@example.com',
    )
  if (status === 401 && wire.secretName)
    throw new RefusedByName(`the source refuses the key in ${wire.secretName}: ${beginning(Buffer.from(text))}`)
  const tooMany = /rate threshold exceeded/i.test(text)
  const usedUp = status === 402 && /limit/i.test(text)
  if (status === 429 || status === 503 || tooMany || usedUp) {
    const usualMs = tooMany ? BLOCK_MS : status === 503 ? null : wire.throttledMs
    const retryMs = retryAfter(answer.headers.get('retry-after'), wire.now()) ?? usualMs
    return { retryMs, throttled: true, why: `the source asks for fewer requests (${status})` }
  }
  if (status >= 500) return { retryMs: null, throttled: false, why: `the source answered ${status}` }
  throw new BadAnswer(`the source answered ${status}: ${beginning(Buffer.from(text))}`)
}

/** Retry-After in milliseconds: seconds or a date. */
function retryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}

async function refuseWebPage(path: string, type: string): Promise<void> {
  const file = await open(path)
  const start = Buffer.alloc(200)
  const { bytesRead } = await file.read(start, 0, start.length, 0)
  await file.close()
  if (bytesRead === 0) throw new BadAnswer('the answer is empty')
  if (type.includes('text/html') || /^\s*(<!doctype html|<html)/i.test(start.toString('latin1')))
    throw new BadAnswer(`the source sent a web page instead of data: ${beginning(start)}`)
}
