import type { Tool } from '../../server/features/tools/define-tool.ts'
import type { FieldPlace } from '../../web/docs/try/build-call.ts'

/** The names in a path such as `/v1/bars/{symbol}`. */
export const pathNames = (path: string): Set<string> =>
  new Set([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!))

/** Where the parameter goes in a REST call. */
export const placeOf = ({ rest }: Tool, name: string): FieldPlace =>
  pathNames(rest!.path).has(name) ? 'path' : rest!.method === 'POST' ? 'body' : 'query'
