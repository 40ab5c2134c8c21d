import type { Operation } from '../request.ts'
import { notFinmeter, readText } from './request.ts'

interface Schema {
  type?: string | string[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
}
interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}
interface DocumentOperation {
  operationId: string
  summary: string
  description: string
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, { content?: Record<string, unknown> }>
}

/** A tool as the server describes it. */
export interface ApiTool extends Operation {
  /** `body`: an API of the operator's, whose response is passed on as it is. */
  kind: 'table' | 'value' | 'body'
  title: string
  description: string
  deprecated: boolean
  /** Inputs by name. */
  inputs: Map<string, { types: string[]; required: boolean }>
}

/** The tools of a server, from its OpenAPI document: its operator's own, too. Throws CliError, FinmeterError. */
export async function readTools(url: string): Promise<ApiTool[]> {
  const text = await readText(`${url}/openapi.json`, 'application/json')
  try {
    const { paths, components } = JSON.parse(text)
    return Object.entries(paths as Record<string, Record<string, DocumentOperation>>).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        toolOf(path, method, operation, components?.parameters ?? {}),
      ),
    )
  } catch {
    throw notFinmeter(url)
  }
}

function toolOf(
  path: string,
  method: string,
  operation: DocumentOperation,
  shared: Record<string, Parameter>,
): ApiTool {
  const inputs: ApiTool['inputs'] = new Map()
  for (const given of operation.parameters ?? []) {
    const parameter = given.$ref ? shared[given.$ref.split('/').at(-1)!] : given
    if (parameter && parameter.in !== 'header' && !OF_THE_PROGRAM.has(parameter.name))
      inputs.set(parameter.name, { types: typesOf(parameter.schema), required: parameter.required === true })
  }
  const body = operation.requestBody?.content['application/json'].schema
  for (const [name, schema] of Object.entries(body?.properties ?? {}))
    if (!OF_THE_PROGRAM.has(name))
      inputs.set(name, { types: typesOf(schema), required: body?.required?.includes(name) === true })
  return {
    kind: operation.responses['2XX'] ? 'body' : operation.responses['200']?.content?.['text/csv'] ? 'table' : 'value',
    name: operation.operationId,
    method: method.toUpperCase() as 'GET' | 'POST',
    path,
    title: operation.summary,
    description: operation.description,
    deprecated: operation.deprecated === true,
    inputs,
  }
}

/** Options of the program take their place. */
const OF_THE_PROGRAM = new Set(['format', 'layout', 'dry_run'])
const typesOf = (schema: Schema | undefined): string[] => [
  ...[schema?.type ?? []].flat(),
  ...(schema?.anyOf?.flatMap(typesOf) ?? []),
]
