import { z } from 'zod'
import { type ErrorCode, errorCatalog } from '#contract/errors.ts'
import {
  authorizeAnswer,
  authorizeRequest,
  gatewayQuery,
  releaseAnswer,
  releaseRequest,
  settleAnswer,
  settleRequest,
} from '#contract/meter-door.ts'
import { components } from '../site/openapi-components.ts'
import type { JsonSchema } from '../tools/register-tool.ts'

/** Every request here can get these. */
const always: ErrorCode[] = ['invalid_parameter', 'service_key_invalid', 'metering_unavailable']
const ofBodies: ErrorCode[] = ['bad_json', 'payload_too_large', 'unsupported_media_type']
/** Why a customer's call is refused. */
const ofCalls: ErrorCode[] = [
  'key_invalid',
  'insufficient_credits',
  'key_budget_exceeded',
  'forbidden',
  'not_entitled',
  'account_suspended',
  'unknown_tool',
  'rate_limited',
]
const ofHolds: ErrorCode[] = ['not_found', 'hold_ended']
const ofCharges: ErrorCode[] = ['idempotency_mismatch', 'insufficient_credits', 'account_suspended', 'key_invalid']

/**
 * The OpenAPI 3.1 document of `/v1/meter`, apart from that of the Data API: it is for the operator's services, and client
 * libraries of customers are generated from the other.
 */
export function meterOpenapi(serverUrl: string, { name }: { name: string }): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: `${name} metering`,
      version: '1',
      description: 'For gateways and services that do the work themselves: hold credits, settle, release.',
      license: { name: 'Terms of service', url: `${serverUrl}/legal/terms` },
    },
    servers: [{ url: serverUrl }],
    security: [{ serviceKey: [] }, { bearer: [] }],
    paths: {
      '/v1/meter/authorize': {
        post: operation('authorize', 'Admits a call and holds its credits', authorizeRequest, authorizeAnswer, ofCalls),
      },
      '/v1/meter/settle': {
        post: operation('settle', 'Charges a call', settleRequest, settleAnswer, [...ofHolds, ...ofCharges]),
      },
      '/v1/meter/release': {
        post: operation('release', 'Returns the credits of a call', releaseRequest, releaseAnswer, ofHolds),
      },
      '/v1/meter/auth': {
        get: {
          operationId: 'meter_auth',
          summary: "Decides on a gateway's request",
          description: "The customer's key and request are in the headers that the gateway sends.",
          parameters: Object.entries(gatewayQuery.shape).map(([name, schema]) => ({
            name,
            in: 'query',
            required: !schema.safeParse(undefined).success,
            schema: jsonSchema(schema, 'input'),
          })),
          responses: {
            200: { description: 'The request may pass. Headers name the customer and the charge.' },
            ...problems([...always, 'key_missing', ...ofCalls, 'conflict', 'idempotency_mismatch']),
          },
        },
      },
    },
    components: {
      securitySchemes: {
        serviceKey: { type: 'apiKey', in: 'header', name: 'Finmeter-Service-Key' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The service key as a bearer token.' },
      },
      schemas: { Problem: components.schemas.Problem },
    },
  }
}

function operation(name: string, summary: string, body: z.ZodType, answer: z.ZodType, errors: ErrorCode[]): JsonSchema {
  return {
    operationId: `meter_${name}`,
    summary,
    requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body, 'input') } } },
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: jsonSchema(answer, 'output') } } },
      ...problems([...always, ...ofBodies, ...errors]),
    },
  }
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io })
  return rest as JsonSchema
}

const problems = (codes: ErrorCode[]): Record<string, JsonSchema> =>
  Object.fromEntries(
    [...Map.groupBy(new Set(codes), (code) => errorCatalog[code].status)].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `${code}: ${errorCatalog[code].text}`).join('\n'),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
