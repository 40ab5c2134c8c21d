import type { Call } from '../../features/answer/send-call.ts'

export type FieldPlace = 'path' | 'query' | 'header' | 'body'
/** `list` and `numbers`: separated by commas. `json`: a list of objects. */
export type FieldKind = 'text' | 'number' | 'date' | 'choice' | 'boolean' | 'list' | 'numbers' | 'json'

export interface FieldValue {
  name: string
  place: FieldPlace
  kind: FieldKind
  /** As typed; empty: not sent. */
  value: string
}

/**
 * The call of a filled form. `path` has its path parameters in braces; `bodyInput` is the field that is the whole body. Throws
 * SyntaxError for invalid JSON.
 */
export function buildCall(method: string, path: string, fields: FieldValue[], bodyInput?: string): Call {
  const filled = fields.filter(({ value }) => value.trim() !== '')
  const placed = filled.reduce(
    (text, { place, name, value }) => (place === 'path' ? text.replace(`{${name}}`, encoded(value)) : text),
    path,
  )
  const query = filled.filter(({ place }) => place === 'query').map(({ name, value }) => `${name}=${queryText(value)}`)
  const full = query.length > 0 ? `${placed}?${query.join('&')}` : placed
  const inHeaders = filled.filter(({ place }) => place === 'header').map(({ name, value }) => [name, value.trim()])
  const inBody = filled.filter(({ place }) => place === 'body')
  const hasBody = method === 'POST' || inBody.length > 0
  const values = Object.fromEntries(inBody.map((field) => [field.name, bodyValue(field)]))
  const body = bodyInput === undefined ? values : values[bodyInput]
  const sendsBody = hasBody && body !== undefined
  return {
    path: full,
    ...(inHeaders.length > 0 && { headers: Object.fromEntries(inHeaders) }),
    ...(method !== (sendsBody ? 'POST' : 'GET') && { method }),
    ...(sendsBody && { body }),
  }
}

/** An exclamation mark between double quotes would recall an earlier command of the shell. */
const encoded = (value: string): string => encodeURIComponent(value.trim()).replaceAll('!', '%21')

/** Commas stay readable: they separate the items of a list. */
const queryText = (value: string): string => encoded(value).replaceAll('%2C', ',')

const items = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Text that is not a number is sent as typed, so that the API says what is wrong with it. */
const numeric = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text)

function bodyValue({ kind, value }: FieldValue): unknown {
  const text = value.trim()
  switch (kind) {
    case 'number':
      return numeric(text)
    case 'boolean':
      return text === 'true'
    case 'list':
      return items(text)
    case 'numbers':
      return items(text).map(numeric)
    case 'json':
      return JSON.parse(text) as unknown
    default:
      return text
  }
}
