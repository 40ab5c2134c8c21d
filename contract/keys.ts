import { z } from 'zod'

const MAX_NAME_CHARACTERS = 200
const MOST_CREDITS = 1_000_000_000_000
const MOST_REQUESTS = 1_000_000
const MOST_NETWORKS = 100

/** A name given by a person: any Unicode, trimmed, 1 to 200 characters (code points), no control characters. */
export const keyName = z
  .string('is required')
  .refine((text) => text.isWellFormed(), 'is not valid Unicode')
  .trim()
  .refine((text) => text.length > 0, 'must not be empty')
  .refine((text) => [...text].length <= MAX_NAME_CHARACTERS, `must be at most ${MAX_NAME_CHARACTERS} characters`)
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')

/** What a key may be used for. `read`: only GET requests of the Data API, for addresses in spreadsheets. */
export const keyScope = z.enum(['rest', 'mcp', 'read'], 'must be rest, mcp or read')
export type KeyScope = z.infer<typeof keyScope>

/** Limits of one key, in addition to its account's; null: none. */
const controls = {
  /** Null for everything. A key with `["mcp"]` works only for MCP connections. */
  scopes: z
    .array(keyScope, 'must be a list of rest, mcp and read, or null')
    .min(1, 'must name rest, mcp or read; null allows everything')
    .refine((names) => new Set(names).size === names.length, 'names a scope twice')
    .nullable(),
  expiresAt: z.iso.datetime({ offset: true, error: 'must be a time such as 2030-01-31T00:00:00Z, or null' }).nullable(),
  /** Credits that the key may spend in a UTC month. */
  monthlyBudget: z
    .int('must be a whole number of credits, or null')
    .min(1, 'must be at least 1; to stop a key, delete it')
    .max(MOST_CREDITS, `must be at most ${MOST_CREDITS}`)
    .nullable(),
  rateLimit: z
    .int('must be a whole number of requests per minute, or null')
    .min(1, 'must be at least 1; to stop a key, delete it')
    .max(MOST_REQUESTS, `must be at most ${MOST_REQUESTS}`)
    .nullable(),
  /** IPv4 and IPv6 addresses and networks (CIDR). Networks inside another listed one are dropped. */
  allowedNetworks: z
    .array(
      z.string('must be a list of addresses and networks, or null'),
      'must be a list of addresses and networks, or null',
    )
    .min(1, 'must name an address or network; null allows every address')
    .max(MOST_NETWORKS, `must name at most ${MOST_NETWORKS} addresses and networks`)
    .nullable(),
}

export const newKey = z.strictObject({
  name: keyName,
  scopes: controls.scopes.default(null),
  expiresAt: controls.expiresAt.default(null),
  monthlyBudget: controls.monthlyBudget.default(null),
  rateLimit: controls.rateLimit.default(null),
  allowedNetworks: controls.allowedNetworks.default(null),
})
export type NewKeyInput = z.infer<typeof newKey>

/** Changes to a key. Omitted fields stay unchanged. */
export const keyChange = z
  .strictObject({ name: keyName, ...controls })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'names nothing to change')
export type KeyChange = z.infer<typeof keyChange>

const MOST_GRACE_SECONDS = 30 * 24 * 3600

/** How long the previous value is still accepted: from 0 (refused at once) to 30 days, default 24 hours. */
export const keyRotation = z.strictObject({
  graceSeconds: z
    .int('must be a whole number of seconds')
    .min(0, 'must be at least 0')
    .max(MOST_GRACE_SECONDS, `must be at most ${MOST_GRACE_SECONDS} (30 days)`)
    .default(24 * 3600),
})

/**
 * An API key. `unkey` and `apiKey` contain the same text: the whole key, or its first 8 characters and '...' where it
 * must not be shown (KEYS_REVEAL=once after creation, or a reader whose role may not see keys).
 */
export const apiKey = z.object({
  id: z.uuid(),
  name: z.string(),
  unkey: z.string(),
  apiKey: z.string(),
  created_at: z.iso.datetime(),
  /** Successful calls since the key was created. */
  usage_count: z.int(),
  last_used_at: z.iso.datetime().nullable(),
  /** The origin of the last recorded use; recorded every few seconds. */
  last_used_address: z.string().nullable(),
  last_used_client: z.string().nullable(),
  scopes: z.array(keyScope).nullable(),
  expires_at: z.iso.datetime().nullable(),
  monthly_budget: z.int().nullable(),
  /** The rest of this month's budget. */
  budget_left: z.int().nullable(),
  rate_limit: z.int().nullable(),
  allowed_networks: z.array(z.string()).nullable(),
  /** The previous value is accepted until then. */
  previous_until: z.iso.datetime().nullable(),
})
export type ApiKey = z.infer<typeof apiKey>
