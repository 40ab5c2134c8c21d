import { readFileSync } from 'node:fs'

/** The part of an OpenAPI schema that Stripe's document uses. */
export interface Schema {
  $ref?: string
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: string[]
  nullable?: boolean
  pattern?: string
  maxLength?: number
  'x-known-values'?: string[]
}

/** One method of one path; `resource` is the `object` value of its answer. */
export interface Operation {
  method: string
  path: string
  pattern: RegExp
  params: Schema
  response: Schema
  resource: string
  list: boolean
}

interface RawOperation {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content: Record<string, { schema: Schema }> }>
}

interface Document {
  info: { version: string }
  paths: Record<string, Record<string, RawOperation>>
  components: { schemas: Record<string, Schema> }
  'x-events': Record<string, string>
}

/** The part of Stripe's contract that is served. It defines parameters and shapes. */
const file = new URL('../fixtures/stripe-openapi-subset.json', import.meta.url)
export const contract: Document = JSON.parse(readFileSync(file, 'utf8'))
export const apiVersion = contract.info.version
export const schemas = contract.components.schemas

/** Follows references and the `allOf` wrapper that carries `nullable`. */
export function resolve(schema: Schema): Schema {
  const inner = schema.$ref ? schemas[schema.$ref.slice('#/components/schemas/'.length)] : schema.allOf?.[0]
  return inner ? resolve(inner) : schema
}

function readOperation(path: string, method: string, raw: RawOperation): Operation {
  const form = raw.requestBody?.content['application/x-www-form-urlencoded']?.schema
  const query = (raw.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const params: Schema = form ?? {
    type: 'object',
    properties: Object.fromEntries(query.map((parameter) => [parameter.name, parameter.schema])),
    required: query.filter((parameter) => parameter.required).map((parameter) => parameter.name),
  }
  const response = resolve(raw.responses['200']?.content['application/json']?.schema ?? {})
  const list = response.properties?.object?.enum?.[0] === 'list'
  const answered = list ? (response.properties?.data?.items ?? {}) : (response.anyOf?.[0] ?? response)
  return {
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
    params,
    response,
    resource: resolve(answered).properties?.object?.enum?.[0] ?? '',
    list,
  }
}

/** Every operation of the contract; fixed paths come before paths with an id. */
export const operations: Operation[] = Object.entries(contract.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'delete'].includes(method))
      .map(([method, raw]) => readOperation(path, method, raw)),
  )
  .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))

/** The operation for a request with the ids in its path, the last one first, or null. */
export function findOperation(method: string, path: string): { operation: Operation; ids: string[] } | null {
  for (const operation of operations) {
    const match = operation.method === method ? operation.pattern.exec(path) : null
    if (match) return { operation, ids: match.slice(1).map(decodeURIComponent).reverse() }
  }
  return null
}
