import type { JsonSchema } from '../tools/register-tool.ts'
import { problems } from './openapi-problems.ts'

const text = (description: string): JsonSchema => ({ type: 'string', description })
const textOrNull = (description: string): JsonSchema => ({ type: ['string', 'null'], description })

/** How agents buy a balance, where they can pay. */
export const balanceOperation: JsonSchema = {
  operationId: 'buy_balance',
  summary: 'Buy a balance',
  description:
    'Buys credits, paid with x402. Without a key, the answer has a new API key and a link with which a person can own the balance. With a key of such a balance, the credits are added to it.',
  security: [{}, { bearer: [] }, { apiKeyHeader: [] }],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['usd'],
          additionalProperties: false,
          properties: {
            usd: { type: 'integer', minimum: 1, maximum: 20, description: 'US dollars to pay.' },
            idempotency_key: text(
              'A random text of your own, 16 characters or more. Needed with a payment: it gives you the same answer again.',
            ),
          },
        },
        example: { usd: 5 },
      },
    },
  },
  responses: {
    201: {
      description: 'The balance. The header PAYMENT-RESPONSE has the transaction.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['data'],
            properties: {
              data: {
                type: 'object',
                required: ['payment', 'usd', 'credits', 'key', 'claim_link', 'claim_link_expires_at'],
                properties: {
                  payment: text('The id of the payment.'),
                  usd: text('What was paid.'),
                  credits: { type: 'integer', description: 'What was bought.' },
                  key: textOrNull('The API key of a new balance.'),
                  claim_link: textOrNull('The link for a person, for seven days.'),
                  claim_link_expires_at: textOrNull('When the link ends.'),
                },
              },
            },
          },
        },
      },
    },
    ...problems([
      'invalid_parameter',
      'key_invalid',
      'payment_required',
      'forbidden',
      'account_suspended',
      'payment_in_progress',
      'payment_reused',
      'idempotency_mismatch',
      'rate_limited',
      'billing_unavailable',
      'payment_settlement_unknown',
    ]),
  },
}
