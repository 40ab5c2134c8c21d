import dns from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { isPublicAddress } from './addresses.ts'

/** Why a user's URL was not fetched. The text is for that user and reveals nothing behind the guard. */
export class BlockedAddress extends Error {
  override name = 'BlockedAddress'
}

export interface GuardOptions {
  /** For installations that use their own servers: also allows plain http, any port and private addresses. */
  privateNetworks: boolean
  timeoutMs: number
  maxBytes: number
  /** Resolves names; tests replace it. */
  lookup?: (host: string) => Promise<{ address: string; family: number }[]>
}

const PORTS = new Set(['', '443', '8443'])
const DNS = { timeout: 2_000, tries: 2 }

/**
 * Asks DNS directly. The system's resolver takes one of Node's four threads for as long as a name server is silent, so a few
 * names of somebody's own would stop password checks, and every other name.
 */
async function askDns(host: string): Promise<{ address: string; family: number }[]> {
  const resolver = new dns.Resolver(DNS)
  resolver.setServers(dns.getServers())
  const [four, six] = await Promise.all([
    resolver.resolve4(host).catch(() => []),
    resolver.resolve6(host).catch(() => []),
  ])
  return [...four.map((address) => ({ address, family: 4 })), ...six.map((address) => ({ address, family: 6 }))]
}

/** Names of a private network may be known to the system only. */
const askSystem = (host: string) => dns.lookup(host, { all: true, verbatim: true })

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

interface Target {
  address: string
  family: number
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

/** This machine by definition (RFC 6761); DNS does not know it. */
const LOCALHOST = /(^|\.)localhost\.?$/
const PRIVATE = 'This address leads into a private network.'

/** The host name, or the address without the brackets of IPv6. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** The checked address to connect to. Throws BlockedAddress. */
async function check(url: URL, options: GuardOptions): Promise<Target> {
  const { privateNetworks, lookup = privateNetworks ? askSystem : askDns } = options
  const problem = urlProblem(url, privateNetworks)
  if (problem) throw new BlockedAddress(problem)
  const host = hostOf(url)
  if (!privateNetworks && LOCALHOST.test(host)) throw new BlockedAddress(PRIVATE)
  const family = isIP(host)
  const found = family ? [{ address: host, family }] : await lookup(host).catch(() => [])
  if (found.length === 0) throw new BlockedAddress('The name of this address could not be resolved.')
  if (!privateNetworks && !found.every(({ address }) => isPublicAddress(address))) throw new BlockedAddress(PRIVATE)
  return found[0]!
}

function send(
  url: URL,
  request: Request,
  body: Buffer | undefined,
  target: Target,
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
