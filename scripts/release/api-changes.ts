import { narrowedInput, type Schema, weakenedOutput } from './schema-changes.ts'

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  deprecated?: boolean
  schema: Schema
}
interface Operation {
  operationId: string
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, { schema: Schema }> }>
}
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { parameters?: Record<string, Parameter>; schemas?: Record<string, Schema> }
}

/**
 * What would break a client of the API, one sentence each. What was deprecated in the older document may be missing. Of an
 * answer, only a success is compared: new codes of errors are no break, because clients must expect them.
 */
export function breakingChanges(before: ApiDocument, after: ApiDocument): string[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const at = `${method.toUpperCase()} ${path}`
      const same = after.paths[path]?.[method]
      if (same) return operationChanges(at, [operation, before], [same, after])
      return operation.deprecated ? [] : [`${at} was removed`]
    }),
  )
}

type In = [operation: Operation, document: ApiDocument]

function operationChanges(at: string, [old, before]: In, [next, after]: In): string[] {
  const found: string[] = []
  if (old.operationId !== next.operationId)
    found.push(`${at} is now named ${next.operationId}, before ${old.operationId}`)
  const [was, is] = [parametersOf(old, before), parametersOf(next, after)]
  for (const [name, one] of was) {
    const same = is.get(name)
    if (!same) {
      if (!one.deprecated) found.push(`${at}: ${name} was removed`)
      continue
    }
    if (same.required && !one.required) found.push(`${at}: ${name} is now required`)
    const [a, b] = [whole(one.schema, before), whole(same.schema, after)]
    found.push(...narrowedInput(a, b, `${at}: ${name}`))
  }
  for (const [name, { required }] of is) if (required && !was.has(name)) found.push(`${at}: ${name} is now required`)
  found.push(...bodyChanges(at, [old, before], [next, after]))
  for (const [type, { schema }] of Object.entries(old.responses[200]?.content ?? {})) {
    const same = next.responses[200]?.content?.[type]
    if (!same) found.push(`${at} no longer answers ${type}`)
    else found.push(...weakenedOutput(whole(schema, before), whole(same.schema, after), `${at} answer`))
  }
  for (const header of Object.keys(old.responses[200]?.headers ?? {}))
    if (!next.responses[200]?.headers?.[header]) found.push(`${at} no longer sends ${header}`)
  return [...new Set(found)]
}

function bodyChanges(at: string, [old, before]: In, [next, after]: In): string[] {
  const schemaOf = ({ requestBody }: Operation) => requestBody?.content['application/json']?.schema
  const [was, is] = [schemaOf(old), schemaOf(next)]
  if (!is) return was ? [`${at} no longer takes a body`] : []
  return narrowedInput(was ? whole(was, before) : {}, whole(is, after), `${at} body`)
}

const parametersOf = ({ parameters = [] }: Operation, { components }: ApiDocument): Map<string, Parameter> =>
  new Map(
    parameters
      .map((one) => (one.$ref ? components.parameters?.[one.$ref.split('/').at(-1)!] : one))
      .filter((one) => one !== undefined)
      .map((one) => [one.name, one]),
  )

/** A schema with everything that it refers to in its place. Our schemas do not refer to themselves. */
function whole(schema: Schema, document: ApiDocument): Schema {
  const text = JSON.stringify(schema, (_key, value) => {
    const name = typeof value?.$ref === 'string' ? value.$ref.split('/').at(-1) : undefined
    return name === undefined ? value : document.components.schemas?.[name]
  })
  return JSON.parse(text)
}
