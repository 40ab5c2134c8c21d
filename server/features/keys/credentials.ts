import { createHash } from 'node:crypto'
import { AppError } from '../../http/errors.ts'
import type { LaneRequest } from '../../http/exchange.ts'
import { addressKey } from '../../http/limits/address-key.ts'
import type { Caller } from '../metering/meter.ts'
import type { KeyVerifier, VerifiedKey } from './verify.ts'

const urlKeys = new WeakMap<LaneRequest, string>()
const PARAMETER = 'apikey'
/** Parameter names that are not spelled out contain an escape. */
const MAY_HOLD_KEY = /%|apikey/i
const BEARER = /^bearer +(.+)$/i
/** A key that everybody may use without an account: open data, no credits, few calls. */
export const DEMO_KEY = 'demo'
const DEMO_CALLS_PER_MINUTE = 30

/** The presented credentials, in order of precedence. */
export interface Presented {
  apiKeyHeader: string | undefined
  urlKey: string | undefined
  authorization: string | undefined
  /** The caller's address, after trusted proxies. Missing: keys bound to networks are refused. */
  address?: string
  /** The client's user agent. */
  client?: string
}

/**
 * Removes `?apikey=` from `request.url`, saves it for `presentedKey`, and returns the URL without it. Runs before the
 * router and every logger (Fastify's `rewriteUrl`), so that nothing after it can print the key. The parameter is
 * recognized by its decoded name in any case and encoding (`%61pikey`, `APIKEY`, `api%6Bey`); all occurrences are
 * removed and the first non-empty one counts.
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
  // Fastify stores the received URL here before it calls rewriteUrl.
  if ('originalUrl' in request) request.originalUrl = clean
  return clean
}

/** The credentials of a request whose URL went through `takeKeyFromUrl`. `address` is the caller's. */
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
 * The key that counts when several are presented: X-API-Key, then the URL, then Bearer. An explicit key thus takes
 * precedence over a token that a client adds automatically. Undefined: none presented.
 */
export function chooseKey({ apiKeyHeader, urlKey, authorization }: Omit<Presented, 'address'>): string | undefined {
  return apiKeyHeader || urlKey || (authorization && BEARER.exec(authorization)?.[1]?.trim()) || undefined
}

/** `read` is a GET request of the Data API, `rest` any other. */
export type Surface = 'rest' | 'mcp' | 'read'

/** A live key, or the demo key. */
export type Verified = Pick<VerifiedKey, 'accountId' | 'bucket' | 'rateLimitPerMinute'> &
  Pick<Caller, 'payment'> & { keyId: number | null }

/** Access tokens, each of which stands for the key of its grant. */
export interface TokenVerifier {
  /** What each token begins with. */
  readonly prefix: string
  /** Null if it is unknown, expired, revoked, for another audience, or approved by a user who no longer manages the workspace. */
  verify: (token: string, surface: 'rest' | 'mcp') => Promise<VerifiedKey | null>
}

/**
 * The key of a request for `surface`: the presented one, or that of its OAuth grant. Throws key_missing, key_invalid (the same for
 * malformed, unknown, deleted and expired keys) or forbidden (the key's scopes exclude this surface, or its networks the caller's
 * address). Returns synchronously when it can.
 */
export function verifyPresented(
  { keys, tokens }: { keys: KeyVerifier; tokens: TokenVerifier },
  given: Presented,
  surface: Surface,
): Verified | Promise<Verified> {
  const key = chooseKey(given)
  if (key === undefined) throw new AppError('key_missing')
  if (key === DEMO_KEY) return demoCaller(given.address ?? '')
  // A token belongs in the Authorization header (RFC 6750): anywhere else it is treated as an unknown key.
  if (key.startsWith(tokens.prefix) && !given.apiKeyHeader && !given.urlKey)
    return tokens.verify(key, surface === 'mcp' ? 'mcp' : 'rest').then((found) => {
      if (!found) throw new AppError('key_invalid', 'This access token is expired, revoked, or for another server.')
      return allow(keys, found, given, surface)
    })
  const verified = keys.verify(key)
  return verified instanceof Promise
    ? verified.then((known) => allow(keys, known, given, surface))
    : allow(keys, verified, given, surface)
}

/**
 * A caller with the demo key, or with no key on an endpoint where calls are paid one by one. There is no account: the number is derived from the address and only used to count its
 * calls.
 */
export function demoCaller(address: string): Caller & { publicId: string; scopes: null } {
  const number = createHash('sha256').update(addressKey(address)).digest().readUInt32BE(0)
  return {
    accountId: -1 - number,
    bucket: 0,
    keyId: null,
    publicId: DEMO_KEY,
    scopes: null,
    rateLimitPerMinute: DEMO_CALLS_PER_MINUTE,
  }
}

export const isDemo = ({ accountId }: Pick<Caller, 'accountId'>): boolean => accountId < 0

/** By whom calls in progress are counted: the key, or the address that uses the demo key. */
export const callsOf = ({ keyId, accountId }: Pick<Caller, 'keyId' | 'accountId'>): string =>
  String(keyId ?? -accountId)

/** Returns the key if it may be used for this surface and from this address. Throws key_invalid, forbidden. */
export function allow(
  keys: KeyVerifier,
  key: VerifiedKey | null,
  { address, client = '' }: Presented,
  surface: Surface,
): VerifiedKey {
  if (!key) throw new AppError('key_invalid')
  if (key.scopes && !key.scopes.includes(surface) && !(surface === 'read' && key.scopes.includes('rest')))
    throw new AppError('forbidden', `This API key is not allowed to use ${excluded(surface, key.scopes)}.`)
  if (key.allowsAddress && !(address && key.allowsAddress(address)))
    throw new AppError(
      'forbidden',
      `This API key may not be used from ${address ?? 'an unknown address'}. The key's owner can change its allowed networks.`,
    )
  if (address) keys.used(key, address, client)
  return key
}

const excluded = (surface: Surface, scopes: readonly string[]) => {
  if (surface === 'mcp') return 'MCP'
  return scopes.includes('read') ? 'anything but GET requests of the REST API' : 'the REST API'
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
