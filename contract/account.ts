import { z } from 'zod'

/** The signed-in person, as the dashboard shows them. `full_name` and `avatar_url` come from the identity provider. */
export const user = z.object({
  id: z.uuid(),
  email: z.string(),
  user_metadata: z.object({ full_name: z.string().nullable(), avatar_url: z.string().nullable() }),
  created_at: z.iso.datetime(),
})
export type User = z.infer<typeof user>

export const role = z.enum(['owner', 'admin', 'member'])
export type Role = z.infer<typeof role>

/** An account that the person belongs to. `id` is the value of `X-Workspace-Id`. */
export const workspace = z.object({ id: z.uuid(), name: z.string(), role, personal: z.boolean() })
export type Workspace = z.infer<typeof workspace>

/** A place where the person is signed in. */
export const session = z.object({
  id: z.uuid(),
  /** The current one. */
  current: z.boolean(),
  /** The browser's user agent; null: it sent none. */
  user_agent: z.string().nullable(),
  ip: z.string().nullable(),
  /** Whether the second factor was verified. */
  second_factor: z.boolean(),
  created_at: z.iso.datetime(),
  /** When its tokens were last refreshed. */
  refreshed_at: z.iso.datetime(),
})
export type AccountSession = z.infer<typeof session>

/**
 * What the browser posts after sign-in. Only `access_token` is used, and only after its signature is verified; without
 * it, the request's bearer token is used.
 */
export const signInCallback = z.object({
  access_token: z
    .string('must be the access token of the session')
    .min(1, 'must not be empty')
    .max(10_000, 'is too long')
    .optional(),
  refresh_token: z.unknown().optional(),
  user: z.unknown().optional(),
})

/** Settings of an account. */
export const preferences = z.object({
  /** Percent of the credits granted in a period at which an email is sent; 0 turns it off. */
  alertThreshold: z.int().min(0).max(100),
  /** Maximum pay-as-you-go cost per month, in cents; null: no cap. */
  spendCapCents: z.int().min(0).nullable(),
  /** Of the cap, where more than one currency is sold. */
  spendCapCurrency: z.string().optional(),
})
export type Preferences = z.infer<typeof preferences>

/** Changes to preferences. Omitted fields stay unchanged. */
export const preferencesChange = z
  .strictObject({
    alertThreshold: z
      .int('must be a whole number from 0 to 100')
      .min(0, 'must be at least 0')
      .max(100, 'must be at most 100')
      .optional(),
    spendCapCents: z
      .int('must be a whole number of cents, or null')
      .min(0, 'must be at least 0')
      .max(100_000_000, 'must be at most 100000000')
      .nullable()
      .optional(),
  })
  .refine(
    (change) => Object.keys(change).length > 0,
    'names nothing to change: send alertThreshold, spendCapCents or both',
  )
