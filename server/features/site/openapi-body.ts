import { placesOf } from '../tools/input/input-places.ts'
import { toolPriceText } from '../tools/listing/price-text.ts'
import type { JsonSchema, RegisteredTool } from '../tools/register-tool.ts'
import { type components, ref } from './openapi-components.ts'
import { errorsOfBodies, errorsOfUpstreams, problems } from './openapi-problems.ts'

/**
 * The operation of a tool that answers with a body of its own. What its schemas share goes into `schemas`, the components of the
 * document, under names that no other tool has.
 */
export function bodyOperation(entry: RegisteredTool, schemas: Record<string, JsonSchema>): JsonSchema {
  const { tool, inputSchema, outputSchema } = entry
  const rest = tool.rest!
  const hoisted = (schema: JsonSchema, kind: string): JsonSchema => hoist(schema, `${tool.name}_${kind}`, schemas)
  const input = hoisted(inputSchema, 'input')
  const properties = input.properties as Record<string, JsonSchema>
  const required = new Set(input.required as string[] | undefined)
  const places = placesOf(entry)
  const inputs = Object.keys(properties).map((name) => {
    const shown = rest.names?.[name] ?? name
    return { name, shown, place: places.get(shown) ?? 'query' }
  })
  const inBody = inputs.filter(({ place }) => place === 'body')
  return {
    operationId: tool.name,
    summary: tool.title,
    description: `${tool.description}\n\nPrice: ${toolPriceText(tool)}.${ageText(tool)}`,
    'x-credits': tool.credits,
    ...(tool.upstream && { tags: [tool.upstream.id] }),
    parameters: [
      ...inputs
        .filter(({ place }) => place !== 'body')
        .map(({ name, shown, place }) => parameter(shown, place, properties[name]!, required.has(name))),
      ...('dry_run' in properties ? [] : [ref('parameters', 'DryRun')]),
      ref('parameters', 'IdempotencyKey'),
    ],
    ...(inBody.length > 0 && {
      requestBody: {
        required: inBody.some(({ name }) => required.has(name)),
        content: {
          'application/json': {
            schema:
              rest.bodyInput === undefined
                ? {
                    type: 'object',
                    properties: Object.fromEntries(inBody.map(({ name, shown }) => [shown, properties[name]])),
                    required: inBody.filter(({ name }) => required.has(name)).map(({ shown }) => shown),
                  }
                : properties[rest.bodyInput],
          },
        },
      },
    }),
    responses: {
      '2XX': {
        description: 'The answer of the upstream, unchanged.',
        headers: {
          ...Object.fromEntries(
            ['X-Credits-Charged', 'X-Credits-Remaining', 'X-Receipt-Id', 'X-Request-Id'].map((name) => [
              name,
              ref('headers', name as keyof typeof components.headers),
            ]),
          ),
          ...(tool.cache && { Age: AGE }),
        },
        content: {
          [tool.streamMs === undefined ? 'application/json' : '*/*']: {
            schema: hoisted(outputSchema, 'output'),
            ...(tool.exampleAnswer !== undefined && { example: tool.exampleAnswer }),
          },
        },
      },
      ...problems(inBody.length > 0 ? [...errorsOfUpstreams, ...errorsOfBodies] : errorsOfUpstreams),
    },
  }
}

const AGE = {
  description: 'Seconds since the upstream was asked. Only of answers from the cache.',
  schema: { type: 'integer' },
}

const ageText = ({ cache }: RegisteredTool['tool']): string =>
  cache ? ` Answers may come from a cache, and are then at most ${cache.seconds.toLocaleString('en-US')} s old.` : ''

function parameter(name: string, place: string, schema: JsonSchema, required: boolean): JsonSchema {
  const { description, ...property } = schema
  return {
    name,
    in: place,
    required: place === 'path' || required,
    ...(typeof description === 'string' && { description }),
    schema: property,
    // The short form. In queries, repeated parameters are accepted too.
    ...(property.type === 'array' && place === 'query' && { style: 'form', explode: false }),
  }
}

/** The schema without definitions of its own: references within a schema would be read as of the whole document. */
function hoist(schema: JsonSchema, prefix: string, schemas: Record<string, JsonSchema>): JsonSchema {
  const names = ['$defs', 'definitions'].filter((name) => isObject(schema[name]))
  const placed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(placed)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, name === '$ref' ? target(one) : placed(one)]),
    )
  }
  const target = (given: unknown): unknown => {
    const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(String(given))?.[1]
    return name === undefined ? given : `#/components/schemas/${componentName(prefix, name)}`
  }
  for (const holder of names)
    for (const [name, one] of Object.entries(schema[holder] as JsonSchema))
      schemas[componentName(prefix, name)] = placed(one) as JsonSchema
  const kept = Object.fromEntries(
    Object.entries(schema).filter(([name]) => !names.includes(name) && name !== '$schema'),
  )
  return placed(kept) as JsonSchema
}

/** Component names have letters, digits, dots, hyphens and underscores only. */
const componentName = (prefix: string, name: string): string =>
  `${prefix}_${decodeURIComponent(name).replaceAll(/[^\w.-]/g, (letter) => `-${letter.codePointAt(0)!.toString(16)}`)}`

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
