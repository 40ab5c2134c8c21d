import { createHash, createHmac, type KeyObject } from 'node:crypto'
import { AppError } from '../../../http/errors.ts'
import { ownOf } from '../../../json-schema/own-of.ts'
import type { InputPlace, Operation } from '../document/operation.ts'
import { createIsAtAny, decodedOnce, MOST_DECODINGS, UNSEEN } from '../document/templates.ts'
import type { Credential } from './credential.ts'

export interface UpstreamRequest {
  method: Operation['method']
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: string | null
}

/**
 * The request of one call. Every part is encoded, so that no input reaches another part of it; a path stays within the operation's
 * template, and out of those of other operations. `basePath` has no slash at its end. Throws invalid_parameter or payload_too_large.
 */
export function buildRequest(
  operation: Operation,
  basePath: string,
  input: Record<string, unknown>,
  mostBytes: number,
): UpstreamRequest {
  const { method, accept } = operation
  const headers: Record<string, string> = { accept }
  const inPath = new Map<string, string>()
  const query: string[] = []
  const body: [string, unknown][] = []
  let whole: unknown
  for (const [name, value] of Object.entries(input)) {
    const place = ownOf(operation.places, name)
    // An input that the description does not name, of an operation that takes these.
    if (!place || value === undefined) continue
    if (place.in === 'path') inPath.set(place.name, pathText(name, value, place.slashes !== undefined))
    else if (place.in === 'query') query.push(...queryPairs(place, value))
    else if (place.in === 'header') headers[place.name.toLowerCase()] = headerText(name, value)
    else if (operation.body?.whole) whole = value
    else body.push([place.name, value])
  }
  const target = basePath + fillPath(operation, inPath)
  const sent = writeBody(operation, whole, body)
  if (sent !== null) {
    if (Buffer.byteLength(sent) > mostBytes)
      throw new AppError('payload_too_large', `The request to this API may have at most ${mostBytes} bytes.`)
    headers['content-type'] = operation.body?.type === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  }
  return { method, path: query.length > 0 ? `${target}?${query.join('&')}` : target, headers, body: sent }
}

/** The request with the operator's credential. Throws invalid_parameter for one that names the credential's place itself. */
export function withCredential(request: UpstreamRequest, { headers, query }: Credential): UpstreamRequest {
  if (query === null) return { ...request, headers: { ...request.headers, ...headers } }
  if (names(request.path, query.name))
    throw new AppError('invalid_parameter', `No parameter of this API may be called ${query.name}.`)
  return { ...request, path: request.path + (request.path.includes('?') ? '&' : '?') + query.pair }
}

/** An object that is written as several parameters can have any names. Some servers read `key[]` and `KEY` as `key`. */
const names = (path: string, parameter: string): boolean => {
  const bare = (name: string) => name.toLowerCase().replace(/\[.*$/s, '')
  const query = path.slice(path.indexOf('?') + 1)
  return path.includes('?') && [...new URLSearchParams(query).keys()].some((name) => bare(name) === bare(parameter))
}

function writeBody({ body }: Operation, whole: unknown, parts: [string, unknown][]): string | null {
  if (!body) return null
  if (body.type === 'form') {
    const pairs = body.whole ? Object.entries((whole ?? {}) as Record<string, unknown>) : parts
    return pairs
      .flatMap(([name, value]) => [value].flat().map((one) => `${encode(name)}=${encode(plain(one))}`))
      .join('&')
  }
  if (body.whole) return whole === undefined ? null : JSON.stringify(whole)
  return parts.length > 0 ? JSON.stringify(Object.fromEntries(parts)) : null
}

/** Strict percent-encoding: everything but letters, digits and - . _ ~ */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const plain = (value: unknown): string =>
  value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value)

const refuse = (name: string, problem: string): never => {
  throw new AppError('invalid_parameter', `${name} ${problem}.`, { param: name })
}

/** Servers take no longer addresses. */
const MOST_IN_PATH = 8_192

/** An array or object in a path is separated by commas (style simple). */
function pathText(name: string, value: unknown, slashes: boolean): string {
  const text = Array.isArray(value)
    ? value.map(plain).join(',')
    : value !== null && typeof value === 'object'
      ? Object.entries(value).flat().map(plain).join(',')
      : plain(value)
  if (text === '') refuse(name, 'must not be empty')
  if (text.length > MOST_IN_PATH) refuse(name, `may have at most ${MOST_IN_PATH} characters`)
  if (slashes && text.split('/').includes('')) refuse(name, 'must have text on both sides of each slash')
  if (leaves(text, slashes))
    refuse(
      name,
      `must not contain ${slashes ? 'an encoded slash' : 'a slash'}, a backslash or control characters, and must not be . or ..`,
    )
  return text
}

const leaves = (text: string, slashes: boolean): boolean => (slashes ? text.split('/') : [text]).some(leavesSegment)

/** Wide forms of letters and marks, and other slashes, are the same to some servers. */
const isOutside = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  /[/\\\u0000-\u001F\u007F\u2215\u2216\u29F8]/.test(text) || /^\s*\.[\s.]*(;.*)?$/s.test(text)

/**
 * Servers decode once, and some decode again: what becomes a separator or a dot segment on the way would leave the template, and what
 * is encoded more often is made for that alone.
 */
function leavesSegment(text: string): boolean {
  if (/^[\w~:,-]*$/.test(text)) return false
  let seen = text
  for (let times = 0; times < MOST_DECODINGS; times++) {
    if (isOutside(seen) || isOutside(seen.normalize('NFKD').replace(UNSEEN, ''))) return true
    const decoded = decodedOnce(seen)
    if (decoded === seen) return false
    seen = decoded
  }
  return true
}

/** Parameters beside each other can make a dot segment together, so whole segments are looked at as well. */
function fillPath({ path, narrower }: Operation, values: Map<string, string>): string {
  const raw: string[] = []
  const filled = path
    .split('/')
    .map((segment) => {
      let first: string | undefined
      const fill = (write: (text: string) => string) =>
        segment.replace(/\{([^{}]*)\}/g, (_, name: string) => {
          first ??= name
          return write(values.get(name) ?? refuse(name, 'is required'))
        })
      const text = fill((value) => value)
      raw.push(text)
      if (first === undefined) return segment
      // Values without leave to have slashes have none here.
      if (leaves(text, true)) refuse(first, 'must not make . or .. in the path')
      return fill(encode)
    })
    .join('/')
  if (narrower && isAtOther(narrower, raw.join('/')))
    throw new AppError('invalid_parameter', 'This value names another operation of this API.', {
      param: values.keys().next().value!,
    })
  return filled
}

const known = new WeakMap<readonly string[], (path: string) => boolean>()

function isAtOther(templates: readonly string[], path: string): boolean {
  const isAt = known.get(templates) ?? createIsAtAny(templates)
  known.set(templates, isAt)
  return isAt(path)
}

function queryPairs({ name, style, explode }: InputPlace, value: unknown): string[] {
  const pair = (key: string, text: string) => `${encode(key)}=${text}`
  if (style === 'json') return [pair(name, encode(JSON.stringify(value)))]
  if (Array.isArray(value)) {
    const texts = value.map((one) => encode(plain(one)))
    if (explode) return texts.map((text) => pair(name, text))
    const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
    return [pair(name, texts.join(separator))]
  }
  if (value === null || typeof value !== 'object') return [pair(name, encode(plain(value)))]
  const parts = Object.entries(value).map(([key, one]): [string, string] => [key, encode(plain(one))])
  if (style === 'deepObject') return parts.map(([key, text]) => pair(`${name}[${key}]`, text))
  if (explode) return parts.map(([key, text]) => pair(key, text))
  return [pair(name, parts.flatMap(([key, text]) => [encode(key), text]).join(','))]
}

function headerText(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.map(plain).join(',') : plain(value)
  // What else fits a header has no encoding that servers agree on, and a line break would begin another one.
  if (!/^[\x20-\x7E]*$/.test(text)) refuse(name, 'must be plain text without line breaks')
  return text
}

/** Whom a call is for. The upstream can trust these, because they are signed. */
export interface CallerNames {
  account: string
  /** Null for the playground, which calls on behalf of a signed-in person. */
  key: string | null
  request: string
}

/** Headers of the request itself that change what it does. */
const ALSO_COVERED = ['content-type', 'idempotency-key']

/**
 * Headers that say whom the request is for, with an HTTP message signature (RFC 9421, hmac-sha256) over method, host, path, query, the
 * type and digest of the body, the idempotency key, these headers and the time. `secret` is the upstream's signing key, `nowS` the time in seconds.
 */
export function signatureHeaders(
  { method, path, headers: given, body }: UpstreamRequest,
  authority: string,
  { account, key, request }: CallerNames,
  secret: KeyObject,
  nowS: number,
): Record<string, string> {
  const mark = path.indexOf('?')
  const headers: Record<string, string> = {
    ...(body !== null && { 'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:` }),
    'finmeter-account': account,
    ...(key !== null && { 'finmeter-key': key }),
    'finmeter-request': request,
  }
  const covered = {
    '@method': method,
    '@authority': authority,
    '@path': mark === -1 ? path : path.slice(0, mark),
    '@query': mark === -1 ? '?' : path.slice(mark),
    ...Object.fromEntries(ALSO_COVERED.filter((name) => name in given).map((name) => [name, given[name]])),
    ...headers,
  }
  const parameters = `(${Object.keys(covered)
    .map((name) => `"${name}"`)
    .join(' ')});created=${nowS};keyid="finmeter";alg="hmac-sha256"`
  const base = [
    ...Object.entries(covered).map(([name, value]) => `"${name}": ${value}`),
    `"@signature-params": ${parameters}`,
  ].join('\n')
  return {
    ...headers,
    'signature-input': `finmeter=${parameters}`,
    signature: `finmeter=:${createHmac('sha256', secret).update(base).digest('base64')}:`,
  }
}
