import type { FastifyInstance } from 'fastify'
import { errorCatalog } from '#contract/errors.ts'
import type { Deps } from '../../deps.ts'
import type { AgentPayments } from '../agent-payments/open-payments.ts'
import { perShop } from '../shop/serve-shop.ts'
import { isNamed, type Shop } from '../shop/shop.ts'
import type { Tool } from '../tools/define-tool.ts'
import { priceText } from '../tools/listing/price-text.ts'
import { describedTool, markDeprecated } from '../tools/listing/retirement.ts'
import { type JsonSchema, type RegisteredTool, withDefaults } from '../tools/register-tool.ts'
import { perSnapshot, type ToolSnapshot } from '../tools/registry.ts'
import { balanceOperation } from './openapi-balances.ts'
import { bodyOperation } from './openapi-body.ts'
import { components, ref } from './openapi-components.ts'
import { errorsOfBodies, errorsOfCalls, problems } from './openapi-problems.ts'

/** Serves the description of `/v1`, generated once for each version of the tools and the shop. */
export async function registerOpenapi(app: FastifyInstance, deps: Deps): Promise<void> {
  const { PUBLIC_URL, REST_PURCHASE } = deps.config
  const payments = REST_PURCHASE === 'protocol' ? deps.payments : null
  const documents = perShop((shop) =>
    perSnapshot((tools) => JSON.stringify(openapi(tools, PUBLIC_URL, shop, payments))),
  )
  app.get('/openapi.json', { exposeHeadRoute: true }, (_request, reply) =>
    reply
      .type('application/json')
      .header('cache-control', 'public, max-age=300')
      .header('access-control-allow-origin', '*')
      .send(documents(deps.shop.current())(deps.tools.current())),
  )
}

/**
 * The OpenAPI 3.1 document of every tool with a REST path, served at `serverUrl` under the shop's name; by default that of an unnamed one.
 * With payments of agents, it says which calls can be paid by themselves.
 */
export function openapi(
  tools: Pick<ToolSnapshot, 'all'>,
  serverUrl: string,
  shop: Pick<Shop, 'version' | 'name' | 'promise'> = { version: 0, name: 'Finmeter', promise: null },
  payments: Pick<AgentPayments, 'offerOf' | 'balanceOffer'> | null = null,
): JsonSchema {
  const paths: Record<string, JsonSchema> = {}
  const schemas: Record<string, JsonSchema> = {}
  for (const entry of tools.all) {
    const { rest } = entry.tool
    if (rest)
      paths[rest.path] = {
        ...paths[rest.path],
        [rest.method.toLowerCase()]: payable(
          entry.tool.kind === 'body' ? bodyOperation(entry, schemas) : operation(entry),
          payments?.offerOf(entry) ?? null,
        ),
      }
  }
  if (payments) paths['/v1/agent-balances'] = { post: payable(balanceOperation, payments.balanceOffer) }
  return {
    openapi: '3.1.0',
    info: {
      title: isNamed(shop) ? `${shop.name} API` : 'Finmeter Data API',
      version: '1',
      description: `${
        isNamed(shop) ? (shop.promise ?? `Metered access to ${shop.name}.`) : 'Metered access to financial data.'
      } Every answer says what it cost and carries a receipt. Failed calls and tables without rows cost nothing.`,
      license: { name: 'Terms of service', url: `${serverUrl}/legal/terms` },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
    paths,
    ...(payments && {
      'x-service-info': {
        categories: ['data'],
        docs: { homepage: serverUrl, apiReference: `${serverUrl}/docs/reference`, llms: `${serverUrl}/llms.txt` },
      },
    }),
    components: {
      ...components,
      schemas: { ...components.schemas, ...(payments && { Problem: withPaymentCodes }), ...schemas },
    },
  }
}

const { Problem } = components.schemas
const withPaymentCodes: JsonSchema = {
  ...Problem,
  properties: { ...Problem.properties, code: { type: 'string', enum: Object.keys(errorCatalog) } },
}

/** The operation with how a call of it is paid without a key. The 402 decides; this only tells it beforehand. */
function payable(described: JsonSchema, offer: Record<string, unknown> | null): JsonSchema {
  if (!offer) return described
  const responses = described.responses as JsonSchema
  const known = responses[402] as { description: string; headers: JsonSchema }
  const text = `payment_required: ${errorCatalog.payment_required.text}`
  const required = {
    schema: { type: 'string' },
    description: 'How to pay for this call: base64 of JSON, as x402 says.',
  }
  return {
    ...described,
    'x-payment-info': offer,
    responses: {
      ...responses,
      402: {
        ...known,
        description: known.description.includes(text) ? known.description : `${known.description}\n${text}`,
        headers: { ...known.headers, 'PAYMENT-REQUIRED': required },
      },
    },
  }
}

function operation(entry: RegisteredTool): JsonSchema {
  const { tool } = entry
  const schema = markDeprecated(withDefaults(entry.inputSchema, tool.rest?.defaults), tool)
  const inPath = new Set([...(tool.rest?.path ?? '').matchAll(/\{(\w+)\}/g)].map((match) => match[1]!))
  const hasBody = tool.rest?.method === 'POST'
  const presentation =
    tool.kind === 'table'
      ? ['Format', 'Layout', 'Precision'].map((name) => ref('parameters', name))
      : [ref('parameters', 'DryRun')]
  if (tool.kind === 'table' && !entry.inputNames.includes('columns')) presentation.push(ref('parameters', 'Columns'))
  return {
    operationId: tool.name,
    summary: tool.title,
    ...(tool.deprecated && { deprecated: true }),
    description: `${describedTool(tool)}\n\nPrice: ${priceText(tool.credits)}.`,
    'x-credits': tool.credits,
    parameters: [...inputParameters(tool, schema, inPath), ...presentation, ref('parameters', 'IdempotencyKey')],
    ...(hasBody && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: without(schema, inPath), example: tool.example } },
      },
    }),
    responses: {
      200: success(entry),
      ...(!hasBody && { 304: { description: 'The answer named in If-None-Match is still current. Free.' } }),
      ...problems(hasBody ? [...errorsOfCalls, ...errorsOfBodies] : errorsOfCalls),
    },
  }
}

/** The inputs that do not travel in a body, by the names that this surface gives them. */
function inputParameters({ rest, example }: Tool, schema: JsonSchema, inPath: Set<string>): JsonSchema[] {
  const required = new Set(schema.required as string[] | undefined)
  return Object.entries(schema.properties as Record<string, JsonSchema>)
    .map(([input, property]) => ({ input, name: rest?.names?.[input] ?? input, property }))
    .filter(({ name }) => inPath.has(name) || rest?.method !== 'POST')
    .map(({ input, name, property: { description, deprecated, ...property } }) => ({
      name,
      in: inPath.has(name) ? 'path' : 'query',
      required: inPath.has(name) || required.has(input),
      ...(description !== undefined && { description }),
      ...(deprecated === true && { deprecated }),
      schema: property,
      ...(example?.[input] !== undefined && { example: example[input] }),
      // The short form. Repeated parameters are accepted too, because many clients send lists so.
      ...(property.type === 'array' && { style: 'form', explode: false }),
    }))
}

function without(schema: JsonSchema, names: Set<string>): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(schema.properties as JsonSchema).filter(([name]) => !names.has(name)),
  )
  return {
    ...schema,
    properties,
    required: ((schema.required as string[] | undefined) ?? []).filter((name) => !names.has(name)),
  }
}

function success({ tool, outputSchema }: RegisteredTool): JsonSchema {
  const body = (data: JsonSchema, meta: JsonSchema) => ({
    type: 'object',
    required: ['data', 'meta', 'next_cursor'],
    properties: { data, meta, next_cursor: { type: ['string', 'null'] } },
  })
  const headers = Object.fromEntries(Object.keys(components.headers).map((name) => [name, ref('headers', name)]))
  if (tool.kind === 'value')
    return {
      description: 'The answer.',
      headers,
      content: {
        'application/json': { schema: body({ anyOf: [outputSchema, ref('schemas', 'Estimate')] }, { type: 'object' }) },
      },
    }
  const data = { oneOf: [{ type: 'array', items: ref('schemas', 'Row') }, ref('schemas', 'Columns')] }
  return {
    description: 'The rows, and facts about them.',
    headers,
    content: {
      'application/json': { schema: body(data, ref('schemas', 'Meta')) },
      'text/csv': { schema: { type: 'string' } },
      'application/x-ndjson': { schema: { type: 'string' } },
      'application/vnd.apache.parquet': { schema: { type: 'string', format: 'binary' } },
    },
  }
}
