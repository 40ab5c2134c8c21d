import { invalid } from '../api/errors.ts'
import type { Fields } from './bodies.ts'
import type { Session } from './session.ts'

/** Serves one operation. The contract has checked and typed the parameters; `id` is the last one in the path. */
export type Handler = (tx: Session, params: never, id: string, owner?: string) => Promise<unknown>

/** Merges metadata: an empty value removes its key, an empty string removes all keys. */
export function mergeMetadata(current: unknown, given: unknown): Record<string, string> {
  if (given === '') return {}
  const merged = { ...(current as Fields | null), ...(given as Fields | undefined) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== '')) as Record<string, string>
}

/** Copies the named parameters that were sent. An empty string unsets a field; metadata is merged. */
export function assign(body: Fields, params: object, ...names: string[]): void {
  const given = params as Fields
  for (const name of names) {
    if (given[name] === undefined) continue
    if (name === 'metadata') body.metadata = mergeMetadata(body.metadata, given.metadata)
    else body[name] = given[name] === '' ? null : given[name]
  }
}

/** Refuses a URL that a page could not safely link to. */
export function assertUrl(params: object, name: string): void {
  const given = (params as Fields)[name]
  if (given === undefined || (/^https?:\/\//.test(String(given)) && URL.canParse(String(given)))) return
  throw invalid('Not a valid URL', { code: 'url_invalid', param: name })
}

/** The named parameters that were sent, for a new object. */
export function pick(params: object, ...names: string[]): Fields {
  const fields: Fields = {}
  assign(fields, params, ...names)
  return fields
}
