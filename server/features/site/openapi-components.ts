import { errorCatalog } from '#contract/errors.ts'
import { formats, layouts } from '../data-api/rest-input.ts'

/** A reference to one of `components`. */
export const ref = (section: keyof typeof components, name: string) => ({ $ref: `#/components/${section}/${name}` })

const text = { type: 'string' } as const
const header = (description: string, schema: object = text) => ({ description, schema })

/** Parts that every operation shares. */
export const components = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a bearer token.' },
    apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    apiKeyQuery: { type: 'apiKey', in: 'query', name: 'apikey', description: 'For clients that cannot send headers.' },
  },
  parameters: {
    Format: {
      name: 'format',
      in: 'query',
      description: 'Format of the answer.',
      schema: { type: 'string', enum: formats, default: 'json' },
    },
    Layout: {
      name: 'layout',
      in: 'query',
      description: 'Rows as objects, or columns named once and rows as arrays.',
      schema: { type: 'string', enum: layouts, default: 'objects' },
    },
    Precision: {
      name: 'precision',
      in: 'query',
      description: 'Decimals that numbers are rounded to. Absent: no rounding.',
      schema: { type: 'integer', minimum: 0, maximum: 12 },
    },
    Columns: {
      name: 'columns',
      in: 'query',
      description: 'Columns to return, in this order, separated by commas.',
      style: 'form',
      explode: false,
      schema: { type: 'array', items: text },
    },
    DryRun: {
      name: 'dry_run',
      in: 'query',
      description: "Returns the answer's rows, bytes, tokens and credits instead of the answer. Free.",
      schema: { type: 'boolean', default: false },
    },
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Makes retries free for 24 hours: the same key with the same request is charged once. With a different request: 422. If the data has changed: 409.',
      schema: { type: 'string', minLength: 1, maxLength: 200 },
    },
  },
  headers: {
    'X-Credits-Charged': header('What this call cost.', { type: 'integer' }),
    'X-Credits-Remaining': header('Remaining credits of the account, or "unlimited".'),
    'X-Receipt-Id': header('Identifies this call in the usage log.'),
    'X-Request-Id': header('Include this when you report a problem.'),
    'X-Next-Cursor': header('Cursor of the next page, also for formats without a place for it in the body.'),
    ETag: header('Send it as If-None-Match: an unchanged answer is 304 and free.'),
    RateLimit: header('Calls left in this window and seconds until it resets: "account";r=119;t=42'),
    'RateLimit-Policy': header('Calls allowed per window: "account";q=120;w=60'),
  },
  schemas: {
    Row: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
    Columns: {
      type: 'object',
      required: ['columns', 'rows'],
      properties: {
        columns: { type: 'array', items: text },
        rows: { type: 'array', items: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } } },
      },
    },
    Meta: {
      type: 'object',
      required: ['row_count', 'warnings'],
      properties: { row_count: { type: 'integer', minimum: 0 }, warnings: { type: 'array', items: text } },
    },
    Estimate: {
      type: 'object',
      description: 'The data of a dry run.',
      required: ['rows', 'bytes', 'estimated_tokens', 'credits'],
      properties: Object.fromEntries(
        ['rows', 'bytes', 'estimated_tokens', 'credits'].map((name) => [name, { type: 'integer', minimum: 0 }]),
      ),
    },
    Problem: {
      type: 'object',
      required: ['type', 'title', 'status', 'code', 'detail', 'request_id', 'docs'],
      properties: {
        type: text,
        title: text,
        status: { type: 'integer' },
        code: { type: 'string', enum: Object.keys(errorCatalog).filter((code) => !code.startsWith('payment_')) },
        detail: { type: 'string', description: 'What is wrong with this request and what to do.' },
        param: { type: 'string', description: 'The parameter that is wrong.' },
        allowed: { type: 'array', items: text },
        suggestions: { type: 'array', items: text },
        retry_after: { type: 'integer', description: 'Seconds to wait.' },
        request_id: text,
        docs: { type: 'string', description: 'Page where you can act on it or read more.' },
      },
    },
  },
} as const
