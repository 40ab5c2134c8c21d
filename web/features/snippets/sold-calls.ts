import { queryOptions } from '@tanstack/react-query'

/** A parameter of a call, with a value to begin with. */
export interface CallInput {
  name: string
  place: 'path' | 'query'
  required: boolean
  value: string
  choices: string[] | null
}

/** A call that a key and an address are enough for. */
export interface SoldCall {
  operation: string
  title: string
  path: string
  price: string
  inputs: CallInput[]
  /** Of the operator's own API. */
  isOwn: boolean
  /** A response as the description gives it; null: it gives none. */
  example: unknown
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  example?: unknown
  schema?: { example?: unknown; examples?: unknown; default?: unknown; enum?: unknown }
}
interface Operation {
  operationId: string
  summary?: string
  description?: string
  deprecated?: boolean
  /** The upstream, if it is of one. */
  tags?: unknown
  parameters?: (Partial<Parameter> & { $ref?: string })[]
  responses?: Record<string, { content?: Record<string, { example?: unknown }> }>
}
interface Description {
  paths?: Record<string, { get?: Operation } | undefined>
}

/** What this shop sells over REST. */
export interface Sold {
  /** Whether there are tables of market data. */
  tables: boolean
  calls: SoldCall[]
}

export const soldQuery = queryOptions({
  queryKey: ['sold'],
  queryFn: async ({ signal }): Promise<Sold> => {
    const response = await fetch('/openapi.json', { signal })
    if (!response.ok) throw new Error(`openapi.json: ${response.status}`)
    return readSold((await response.json()) as Description)
  },
  staleTime: 60_000,
})

/** The calls of an OpenAPI description that need nothing but an address: no header, no stream, none on its way out. */
export function readSold({ paths = {} }: Description): Sold {
  const calls = Object.entries(paths).flatMap(([path, { get } = {}]): SoldCall[] => {
    if (!get || get.deprecated || isStream(get)) return []
    const parameters = (get.parameters ?? []).filter((one): one is Parameter => typeof one.name === 'string')
    if (parameters.some((one) => one.required && one.in !== 'path' && one.in !== 'query')) return []
    return [
      {
        operation: get.operationId,
        title: get.summary ?? get.operationId,
        path,
        price: /\n\nPrice: (.+?)\.(?: |$)/.exec(get.description ?? '')?.[1] ?? '',
        inputs: parameters.filter((one) => one.in === 'path' || one.in === 'query').map(inputOf),
        isOwn: get.tags !== undefined,
        example: get.responses?.['2XX']?.content?.['application/json']?.example ?? null,
      },
    ]
  })
  return { tables: '/v1/bars/{symbol}' in paths, calls }
}

const isStream = ({ responses = {} }: Operation) =>
  Object.values(responses).some(({ content }) => content && '*/*' in content)

function inputOf({ name, in: place, required = false, example, schema = {} }: Parameter): CallInput {
  const choices = Array.isArray(schema.enum) ? schema.enum.map(String) : null
  const [first] = [schema.examples].flat()
  const known = example ?? schema.example ?? first ?? schema.default ?? (required ? choices?.[0] : undefined)
  return {
    name,
    place: place as CallInput['place'],
    required,
    value: known === undefined || typeof known === 'object' ? '' : String(known),
    choices,
  }
}

/** The address of a call with these values, without a key. What is required and empty stands as its name in capital letters. */
export function callAddress(publicUrl: string, { path, inputs }: SoldCall, values: Record<string, string>): string {
  const filledIn = ({ name, required, value }: CallInput) =>
    (values[name] ?? value).trim() || (required ? name.toUpperCase() : '')
  const filled = inputs.map((input) => ({ ...input, value: encodeURIComponent(filledIn(input)) }))
  const at = filled
    .filter(({ place }) => place === 'path')
    .reduce((text, { name, value }) => text.replace(`{${name}}`, () => value), path)
  const query = filled.filter(({ place, value }) => place === 'query' && value !== '')
  const words = query.map(({ name, value }) => `${name}=${value}`).join('&')
  return publicUrl + at + (words && `?${words}`)
}
