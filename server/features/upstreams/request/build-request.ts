import { AppError } from '../../../http/errors.ts'
import type { InputPlace, Operation } from '../document/operation.ts'
import { createIsAt } from '../document/templates.ts'

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
    const place = operation.places[name]
    // An input that the description does not name, of an operation that takes these.
    if (!place || value === undefined) continue
    if (place.in === 'path') inPath.set(place.name, pathText(name, value))
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

/** An array or object in a path is separated by commas (style simple). */
function pathText(name: string, value: unknown): string {
  const text = Array.isArray(value)
    ? value.map(plain).join(',')
    : value !== null && typeof value === 'object'
      ? Object.entries(value).flat().map(plain).join(',')
      : plain(value)
  if (text === '') refuse(name, 'must not be empty')
  if (settled(text) === null)
    refuse(name, 'must not contain a slash, a backslash or control characters, and must not be . or ..')
  return text
}

/**
 * Servers decode once, and some decode again: what becomes a separator or a dot segment on the way would leave the template. Null: it
 * does; otherwise what is left when nothing can be decoded.
 */
function settled(text: string): string | null {
  let seen = text
  for (let times = 0; times < 4; times++) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
    if (/[/\\\u0000-\u001F\u007F]/.test(seen) || /^\.{1,2}(;.*)?$/.test(seen)) return null
    const decoded = seen.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
    if (decoded === seen) return seen
    seen = decoded
  }
  return null
}

/** Parameters beside each other can make a dot segment together, so whole segments are looked at as well. */
function fillPath(operation: Operation, values: Map<string, string>): string {
  const raw: string[] = []
  const decoded: string[] = []
  const filled = operation.path
    .split('/')
    .map((segment) => {
      let first: string | undefined
      const text = segment.replace(/\{([^{}]*)\}/g, (_, name: string) => {
        first ??= name
        return values.get(name) ?? refuse(name, 'is required')
      })
      const end = first === undefined ? text : settled(text)
      if (end === null) refuse(first!, 'must not make . or .. in the path')
      raw.push(text)
      decoded.push(end!)
      return segment.replace(/\{([^{}]*)\}/g, (_, name: string) => encode(values.get(name)!))
    })
    .join('/')
  for (const isAt of narrowerOf(operation))
    if (isAt(raw.join('/')) || isAt(decoded.join('/')))
      throw new AppError('invalid_parameter', 'This value names another operation of this API.', {
        param: values.keys().next().value!,
      })
  return filled
}

const known = new WeakMap<Operation, ((path: string) => boolean)[]>()

function narrowerOf(operation: Operation): ((path: string) => boolean)[] {
  const found = known.get(operation) ?? (operation.narrower ?? []).map(createIsAt)
  known.set(operation, found)
  return found
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
