import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSettings } from '../../lib/settings.ts'
import type { Operation } from '../snippets/read-request.ts'
import { firstCallPath } from '../snippets/snippets.ts'

/** A call that works as it is: nothing is left to fill in. */
export interface ReadyCall {
  path: string
  operation: Operation
  /** What it answers, without a period. */
  about: string
}

const demonstration: ReadyCall = {
  path: firstCallPath,
  operation: { tool: 'get_economic_series', template: '/v1/series/{id}' },
  about: 'A month of oil prices',
}

const soldCallQuery = queryOptions({
  queryKey: ['sold-call'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/openapi.json', { signal })
    if (!response.ok) throw new Error(`The server answered ${response.status}.`)
    return soldCall((await response.json()) as Description)
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/** The call to begin with, of what this shop sells. Undefined until it is known, null if there is none. */
export function useReadyCall(): ReadyCall | null | undefined {
  const { demo } = useSettings().shop
  const { data, isError } = useQuery({ ...soldCallQuery, enabled: !demo })
  return demo ? demonstration : isError ? null : data
}

interface Parameter {
  name?: string
  in?: string
  required?: boolean
  example?: unknown
  schema?: { example?: unknown; examples?: unknown[]; default?: unknown; enum?: unknown[] }
}

interface Get {
  operationId: string
  summary?: string
  deprecated?: boolean
  /** The upstream, if it is of one. */
  tags?: string[]
  parameters?: Parameter[]
  responses?: Record<string, { content?: object }>
}

export interface Description {
  paths?: Record<string, { get?: Get }>
}

/** A call that the description has every input of: of the operator's own API if possible. */
export function soldCall({ paths = {} }: Description): ReadyCall | null {
  const calls = Object.entries(paths).flatMap(([template, { get }]) => {
    const path = get && !get.deprecated && !isStream(get) ? filledPath(template, get.parameters ?? []) : null
    if (!get || path === null) return []
    const about = (get.summary ?? get.operationId).replace(/\.$/, '')
    return [{ path, operation: { tool: get.operationId, template }, about, isOwn: get.tags !== undefined }]
  })
  const found = calls.find(({ isOwn }) => isOwn) ?? calls.find(({ path }) => path === '/v1/datasets') ?? calls[0]
  if (!found) return null
  const { isOwn: _, ...call } = found
  return call
}

const isStream = ({ responses = {} }: Get) =>
  Object.values(responses).some(({ content }) => content && '*/*' in content)

/** Null if an input that is needed has no example, or travels in a header. */
function filledPath(template: string, parameters: Parameter[]): string | null {
  let path = template
  const query: string[] = []
  for (const { name = '', in: place, required, example, schema = {} } of parameters) {
    if (!required) continue
    const value = example ?? schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0]
    if (value === undefined || typeof value === 'object' || (place !== 'path' && place !== 'query')) return null
    const text = encodeURIComponent(String(value))
    if (place === 'path') path = path.replace(`{${name}}`, () => text)
    else query.push(`${encodeURIComponent(name)}=${text}`)
  }
  return query.length > 0 ? `${path}?${query.join('&')}` : path
}
