import type { Call } from '../../features/runner/send-call.ts'

export type FieldPlace = 'path' | 'query' | 'body'
/** `list` and `numbers`: separated by commas. `json`: a list of objects. */
export type FieldKind = 'text' | 'number' | 'date' | 'choice' | 'boolean' | 'list' | 'numbers' | 'json'

export interface FieldValue {
  name: string
  place: FieldPlace
  kind: FieldKind
  /** As typed; empty: not sent. */
  value: string
}

/** The call of a filled form. `path` has its path parameters in braces. Throws SyntaxError for invalid JSON. */
export function buildCall(method: string, path: string, fields: FieldValue[]): Call {
  const filled = fields.filter(({ value }) => value.trim() !== '')
  const placed = filled.reduce(
    (text, { place, name, value }) => (place === 'path' ? text.replace(`{${name}}`, encoded(value)) : text),
    path,
  )
  const query = filled.filter(({ place }) => place === 'query').map(({ name, value }) => `${name}=${queryText(value)}`)
  const full = query.length > 0 ? `${placed}?${query.join('&')}` : placed
  if (method !== 'POST') return { path: full }
  const inBody = filled.filter(({ place }) => place === 'body')
  return { path: full, body: Object.fromEntries(inBody.map((field) => [field.name, bodyValue(field)])) }
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
