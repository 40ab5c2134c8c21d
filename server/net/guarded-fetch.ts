import type { IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { isPublicAddress } from './addresses.ts'
import { type Address, BlockedAddress, checkedAddresses, hostOf, type Lookup, PRIVATE } from './checked-addresses.ts'

export interface GuardOptions {
  /** For installations that use their own servers: also allows plain http, any port and private addresses. */
  privateNetworks: boolean
  timeoutMs: number
  maxBytes: number
  /** Resolves names; tests replace it. */
  lookup?: Lookup
}

const PORTS = new Set(['', '443', '8443'])

/**
 * A `fetch` for URLs that users name. Only https on ports 443 and 8443. Every address of the name must be public, and
 * the connection goes to the checked address, so a second DNS answer changes nothing. Redirects are not followed. No
 * cookies, no proxy; size and time are bounded.
 */
export function createGuardedFetch(options: GuardOptions): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const target = await check(url, options)
    const request = new Request(input, init)
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined
    return send(url, request, body, target, options)
  }
}

/** Why the URL is never fetched, as far as it shows before its name is resolved; null if nothing is wrong so far. */
export function urlProblem(url: URL, privateNetworks: boolean): string | null {
  if (url.username || url.password) return 'An address with a user name or password is not fetched.'
  if (privateNetworks) return /^https?:$/.test(url.protocol) ? null : 'Only http and https addresses are fetched.'
  if (url.protocol !== 'https:') return 'Only https addresses are fetched.'
  if (!PORTS.has(url.port)) return 'Only the ports 443 and 8443 are fetched.'
  const host = hostOf(url)
  return isIP(host) && !isPublicAddress(host) ? PRIVATE : null
}

/** The checked address to connect to. Throws BlockedAddress. */
async function check(url: URL, options: GuardOptions): Promise<Address> {
  const problem = urlProblem(url, options.privateNetworks)
  if (problem) throw new BlockedAddress(problem)
  return (await checkedAddresses(hostOf(url), options))[0]!
}

function send(
  url: URL,
  request: Request,
  body: Buffer | undefined,
  target: Address,
  { timeoutMs, maxBytes }: GuardOptions,
): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
  const pinned: LookupFunction = (_host, { all }, done) =>
    all ? done(null, [target]) : done(null, target.address, target.family)
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = open(
      url,
      {
        method: request.method,
        headers: { ...Object.fromEntries(request.headers), ...(body && { 'content-length': String(body.length) }) },
        lookup: pinned,
        agent: false,
        signal,
      },
      (answer) => {
        try {
          resolve(toResponse(answer, maxBytes))
        } catch (error) {
          answer.destroy()
          reject(error)
        }
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

const NO_BODY = new Set([204, 205, 304])

function toResponse(answer: IncomingMessage, maxBytes: number): Response {
  const status = answer.statusCode ?? 502
  if (status >= 300 && status < 400 && status !== 304)
    throw new BlockedAddress('This address redirects elsewhere; redirects are not followed. Name the final address.')
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    if (name === 'set-cookie' || value === undefined) continue
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  if (NO_BODY.has(status)) {
    answer.resume()
    return new Response(null, { status, headers })
  }
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) answer.destroy(new BlockedAddress(`The answer is larger than ${maxBytes} bytes.`))
  })
  answer.pause()
  return new Response(Readable.toWeb(answer) as WebStream as ReadableStream, { status, headers })
}
