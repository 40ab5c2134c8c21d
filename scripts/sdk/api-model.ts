/** What the generators know about the API, read from its OpenAPI document: ours, or that of any installation. */

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  description?: string
  default?: unknown
  maximum?: number
}

export interface Field {
  name: string
  schema: Schema
  required: boolean
  description: string
  /** Filled into the address. */
  inPath: boolean
}

export interface ApiOperation {
  /** `get_bars` */
  name: string
  method: 'GET' | 'POST'
  path: string
  title: string
  description: string
  fields: Field[]
  /** The object that it returns; null: rows. */
  value: Schema | null
  /** The most rows in one answer, where a cursor continues and `limit` counts rows; else null. */
  pageRows: number | null
  example: Record<string, unknown>
}

export interface ApiModel {
  operations: ApiOperation[]
  errorCodes: string[]
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}
interface Operation {
  operationId: string
  summary: string
  description: string
  parameters: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema; example?: Record<string, unknown> } } }
  responses: Record<string, { content: Record<string, { schema: Schema }> }>
}
export interface OpenapiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, Parameter>; schemas: Record<string, Schema> }
}

/** Inputs that are methods or options in a client library. */
const OF_THE_LIBRARY = new Set(['format', 'layout', 'dry_run', 'Idempotency-Key'])

export function readModel({ paths, components }: OpenapiDocument): ApiModel {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(path, method, operation, components.parameters)),
  )
  const errorCodes = components.schemas.Problem?.properties?.code?.enum as string[] | undefined
  if (operations.length === 0 || !errorCodes) throw new Error('This is not the OpenAPI document of a Finmeter.')
  return { operations, errorCodes }
}

function readOperation(
  path: string,
  method: string,
  { operationId, summary, description, parameters, requestBody, responses }: Operation,
  shared: Record<string, Parameter>,
): ApiOperation {
  const body = requestBody?.content['application/json']
  const given = parameters
    .map((one) => (one.$ref ? shared[one.$ref.split('/').at(-1)!]! : one))
    .filter(({ name, in: place }) => !OF_THE_LIBRARY.has(name) && (place === 'path' || !body))
  const fields = given.map(
    ({ name, schema, required, description = '', in: place }): Field => ({
      name: identifier(name),
      schema,
      required: required ?? false,
      description,
      inPath: place === 'path',
    }),
  )
  for (const [name, schema] of Object.entries(body?.schema.properties ?? {}))
    if (!OF_THE_LIBRARY.has(name))
      fields.push({
        name: identifier(name),
        schema,
        required: body!.schema.required?.includes(name) ?? false,
        description: schema.description ?? '',
        inPath: false,
      })
  const [success] = Object.entries(responses)
    .filter(([status]) => status === '200')
    .map(([, response]) => response.content)
  const data = success?.['application/json']?.schema.properties?.data
  const isTable = success !== undefined && 'text/csv' in success
  const own = data?.anyOf?.find((one) => !one.$ref)
  if (!isTable && !own) throw new Error(`${operationId}: the document does not describe its answer.`)
  return {
    name: identifier(operationId),
    method: method === 'post' ? 'POST' : 'GET',
    path,
    title: oneLine(summary),
    description: description.split('\n').map(oneLine).join('\n'),
    fields,
    value: isTable ? null : own!,
    pageRows: isTable ? pageRowsOf(fields) : null,
    example: { ...examplesOf(given), ...body?.example },
  }
}

/** What the server puts into one JSON answer, whatever the operation allows in other formats. */
const MOST_ROWS_AS_JSON = 10_000

function pageRowsOf(fields: Field[]): number | null {
  const limit = fields.find(({ name }) => name === 'limit')
  // get_bars_batch counts the rows of each symbol: its pages cannot be cut to a number of rows in all.
  if (!limit?.schema.maximum || !fields.some(({ name }) => name === 'cursor') || /per symbol/.test(limit.description))
    return null
  return Math.min(limit.schema.maximum, MOST_ROWS_AS_JSON)
}

const examplesOf = (given: Parameter[]) =>
  Object.fromEntries(given.filter((one) => one.example !== undefined).map(({ name, example }) => [name, example]))

/** Generated code contains these names as they are. Another installation's document must not be able to write code. */
export function identifier(name: string): string {
  if (!/^[A-Za-z_]\w{0,62}$/.test(name))
    throw new Error(`${JSON.stringify(name.slice(0, 80))} cannot be a name in code.`)
  return name
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
