import { AppError } from '../../http/errors.ts'
import type { LaneRequest } from '../../http/exchange.ts'
import type { KeyVerifier, VerifiedKey } from '../keys/verify.ts'
import { DEMO_KEY, demoCaller } from './demo-key.ts'

const urlKeys = new WeakMap<LaneRequest, string>()
const PARAMETER = 'apikey'
/** Names of the parameter that are not written out have an escape in them. */
const MAY_HOLD_KEY = /%|apikey/i
const BEARER = /^bearer +(.+)$/i

/** What a caller presents, in the order in which we believe it. */
export interface Presented {
  apiKeyHeader: string | undefined
  urlKey: string | undefined
  authorization: string | undefined
  /** Of the caller, after trusted proxies. Missing: keys that are bound to networks are refused. */
  address?: string
  /** What the client says it is. */
  client?: string
}

/**
 * Takes `?apikey=` out of `request.url` and keeps it aside for `presentedKey`; returns the URL without it. Runs before
 * the router and every logger (Fastify's `rewriteUrl`), so that nothing behind it can print the key. The parameter is
 * known by its decoded name in any case and encoding (`%61pikey`, `APIKEY`, `api%6Bey`); every repetition is removed and
 * the first one that is not empty counts.
 */
export function takeKeyFromUrl(request: LaneRequest): string {
  const url = request.url ?? '/'
  const mark = url.indexOf('?')
  if (mark === -1 || !MAY_HOLD_KEY.test(url)) return url
  const kept: string[] = []
  let key: string | undefined
  for (const pair of url.slice(mark + 1).split('&')) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    if (decode(name).trim().toLowerCase() === PARAMETER)
      key ||= equals === -1 ? '' : decode(pair.slice(equals + 1)).trim()
    else kept.push(pair)
  }
  if (key === undefined) return url
  const clean = kept.length === 0 ? url.slice(0, mark) : `${url.slice(0, mark)}?${kept.join('&')}`
  urlKeys.set(request, key)
  request.url = clean
  // Fastify keeps the URL that it received here, before it asks for another one.
  if ('originalUrl' in request) request.originalUrl = clean
  return clean
}

/** The credentials of a request whose URL went through `takeKeyFromUrl`; `address` is where it came from. */
export function presented(request: LaneRequest, address?: string): Presented {
  return {
    apiKeyHeader: single(request.headers['x-api-key']),
    urlKey: urlKeys.get(request),
    authorization: request.headers.authorization,
    address,
    client: request.headers['user-agent'],
  }
}

/**
 * The key that counts when several are presented: X-API-Key, then the URL, then Bearer. A key that somebody wrote down
 * on purpose thereby beats a token that a client adds by itself. Undefined: none presented.
 */
export function chooseKey({ apiKeyHeader, urlKey, authorization }: Omit<Presented, 'address'>): string | undefined {
  return apiKeyHeader || urlKey || (authorization && BEARER.exec(authorization)?.[1]?.trim()) || undefined
}

/** A live key, or the demo key. */
export type Verified = Pick<VerifiedKey, 'accountId' | 'rateLimitPerMinute'> & { keyId: number | null }

/**
 * Verifies the presented key for `surface`. Throws key_missing, key_invalid (the same for malformed, unknown, deleted
 * and expired keys) or forbidden (a key whose scopes leave this surface out, or whose networks the caller's address).
 * Answers synchronously when it can.
 */
export function verifyPresented(
  keys: KeyVerifier,
  given: Presented,
  surface: 'rest' | 'mcp',
): Verified | Promise<Verified> {
  const key = chooseKey(given)
  if (key === undefined) throw new AppError('key_missing')
  if (key === DEMO_KEY) return demoCaller(given.address ?? '')
  const verified = keys.verify(key)
  return verified instanceof Promise
    ? verified.then((known) => allow(keys, known, given, surface))
    : allow(keys, verified, given, surface)
}

/** The key, if it may be used for this and from here. Throws key_invalid, forbidden. */
export function allow(
  keys: KeyVerifier,
  key: VerifiedKey | null,
  { address, client = '' }: Presented,
  surface: 'rest' | 'mcp',
): VerifiedKey {
  if (!key) throw new AppError('key_invalid')
  if (key.scopes && !key.scopes.includes(surface)) {
    throw new AppError(
      'forbidden',
      `This API key is not allowed to use ${surface === 'rest' ? 'the REST API' : 'MCP'}.`,
    )
  }
  if (key.allowsAddress && !(address && key.allowsAddress(address)))
    throw new AppError(
      'forbidden',
      `This API key may not be used from ${address ?? 'an unknown address'}. Its owner sets the networks it may be used from.`,
    )
  if (address) keys.used(key, address, client)
  return key
}

function single(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.trim()
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
