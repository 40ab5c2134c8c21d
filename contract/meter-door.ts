import { z } from 'zod'

/** A service that never settles must not keep a customer's credits longer. */
export const MOST_HOLD_SECONDS = 3_600
const MOST_UNITS = 1_000_000_000
const MOST_CREDITS = 1_000_000_000

const units = z
  .int('must be a whole number')
  .min(0, 'must be at least 0')
  .max(MOST_UNITS, `must be at most ${MOST_UNITS}`)
  .optional()
  .describe('What the price of the operation counts: calls, rows, tokens. Not together with credits.')
const credits = z
  .int('must be a whole number')
  .min(0, 'must be at least 0')
  .max(MOST_CREDITS, `must be at most ${MOST_CREDITS}`)
  .optional()
  .describe('For services that compute their own prices, instead of units.')
const hold = z.string().max(1_000).describe('From authorize.')

/** A customer's call, before the work. */
export const authorizeRequest = z.strictObject({
  key: z.string('is required').max(200).describe("The customer's API key."),
  operation: z.string('is required').max(100).describe('The name of the published tool to charge for.'),
  units: units.describe(
    'The most units that the call may count. Without it, the highest price of the operation is held, or the price of one unit if it has none. Not together with credits.',
  ),
  credits: credits.describe('The most that the call may cost, instead of units.'),
  idempotency_key: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must have 1 to 200 printable ASCII characters without spaces')
    .optional()
    .describe('Calls of this customer with the same key and the same request are charged once in 24 hours.'),
  hold_seconds: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(MOST_HOLD_SECONDS, `must be at most ${MOST_HOLD_SECONDS}`)
    .optional()
    .describe('How long the credits are held without a settlement. Default: as the operation says, or 300.'),
  unsettled: z
    .enum(['release', 'charge'])
    .optional()
    .describe('What happens to a hold that is never settled. Default: as the operation says, or release.'),
  address: z.string().max(100).optional().describe("The customer's IP address, for keys that are limited to networks."),
  client: z.string().max(500).optional().describe("The customer's user agent."),
})

/** The state of the requests per minute. */
const limits = z.object({
  policy: z.enum(['account', 'key']),
  limit: z.int(),
  remaining: z.int(),
  reset_seconds: z.int(),
})

/** The credits are reserved: do the work, then settle. */
export const authorizeAnswer = z.object({
  hold: z.string(),
  account: z.string().describe('The id of the account, which never changes.'),
  credits_held: z.int(),
  remaining: z
    .int()
    .nullable()
    .describe('Credits left besides this hold. Null: the account has unlimited credits, or the call is a free repeat.'),
  limits: limits.nullable().describe('Null: no limit.'),
  expires_at: z.iso.datetime(),
})

/** What the call came to; without units or credits, everything that was authorized. */
export const settleRequest = z.strictObject({
  hold,
  units,
  credits,
  status: z.enum(['success', 'failed']).default('success').describe('Failed calls are recorded and cost nothing.'),
})

/** The charge, on disk. */
export const settleAnswer = z.object({
  receipt: z.string(),
  credits_charged: z.int().describe('By this request: 0 if the call had been charged before.'),
  remaining: z.int().nullable().describe('Null: the account has unlimited credits.'),
  replayed: z.boolean().describe('The call was charged before; the receipt is that of the first charge.'),
})

/** A call that was not carried out. */
export const releaseRequest = z.strictObject({ hold })

export const releaseAnswer = z.object({
  released: z.boolean().describe('False: the hold had already ended.'),
})

/** How a gateway says what its customer asked for. */
export const gateways = ['nginx', 'caddy', 'traefik', 'envoy'] as const

export const gatewayQuery = z.strictObject({
  gateway: z.enum(gateways, `must be one of ${gateways.join(', ')}`),
  upstream: z.string().max(100).optional().describe('Considers only operations of this upstream.'),
})
