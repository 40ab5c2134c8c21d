import type { IncomingMessage } from 'node:http'
import { AppError } from '../../http/errors.ts'
import type { KeyVerifier, VerifiedKey } from '../keys/verify.ts'

const urlKeys = new WeakMap<IncomingMessage, string>()
const PARAMETER = 'apikey'
const BEARER = /^bearer +(.+)$/i

/** What a caller presents, in the order in which we believe it. */
export interface Presented {
  apiKeyHeader: string | undefined
  urlKey: string | undefined
  authorization: string | undefined
}

/**
 * Takes `?apikey=` out of `request.url` and keeps it aside for `presentedKey`; returns the URL without it. Runs before
 * the router and every logger (Fastify's `rewriteUrl`), so that nothing behind it can print the key. The parameter is
 * known by its decoded name in any case and encoding (`%61pikey`, `APIKEY`, `api%6Bey`); every repetition is removed and
 * the first one that is not empty counts.
 */
export function takeKeyFromUrl(request: IncomingMessage): string {
  const url = request.url ?? '/'
  const mark = url.indexOf('?')
  if (mark === -1) return url
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

/** The credentials of a request whose URL went through `takeKeyFromUrl`. */
export function presented(request: IncomingMessage): Presented {
  return {
    apiKeyHeader: single(request.headers['x-api-key']),
    urlKey: urlKeys.get(request),
    authorization: request.headers.authorization,
  }
}

/**
 * The key that counts when several are presented: X-API-Key, then the URL, then Bearer. A key that somebody wrote down
 * on purpose thereby beats a token that a client adds by itself. Undefined: none presented.
 */
export function chooseKey({ apiKeyHeader, urlKey, authorization }: Presented): string | undefined {
  return apiKeyHeader || urlKey || (authorization && BEARER.exec(authorization)?.[1]?.trim()) || undefined
}

/**
 * Verifies the presented key for `surface`. Throws key_missing, key_invalid (the same for malformed, unknown, deleted
 * and expired keys) or forbidden (a key whose scopes leave this surface out). Answers synchronously when it can.
 */
export function verifyPresented(
  keys: KeyVerifier,
  given: Presented,
  surface: 'rest' | 'mcp',
): VerifiedKey | Promise<VerifiedKey> {
  const key = chooseKey(given)
  if (key === undefined) throw new AppError('key_missing')
  const verified = keys.verify(key)
  return verified instanceof Promise ? verified.then((known) => allow(known, surface)) : allow(verified, surface)
}

function allow(key: VerifiedKey | null, surface: 'rest' | 'mcp'): VerifiedKey {
  if (!key) throw new AppError('key_invalid')
  if (key.scopes && !key.scopes.includes(surface)) {
    throw new AppError(
      'forbidden',
      `This API key is not allowed to use ${surface === 'rest' ? 'the REST API' : 'MCP'}.`,
    )
  }
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
