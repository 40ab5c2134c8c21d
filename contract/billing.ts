import { z } from 'zod'

/** A plan of the catalogue. Money is in minor units (cents). */
export const plan = z.object({
  id: z.string(),
  productId: z.string(),
  priceId: z.string(),
  name: z.string(),
  description: z.string(),
  price: z.int(),
  currency: z.string(),
  interval: z.enum(['month', 'year']),
  active: z.boolean(),
  /** free: the price is 0 and calls are not billed as they go. */
  type: z.enum(['free', 'paid']),
  /** The account that asks is subscribed to this plan; always false in the public list. */
  current: z.boolean(),
  /** Credits of each period; 0 for pay-as-you-go, which grants none. */
  credits: z.int(),
  features: z.array(z.string()),
  marketing_features: z.array(z.object({ name: z.string() })),
  /** `type: 'payg'` marks pay-as-you-go; `credits` or `credit`, `rate_limit` (per minute), `unlimited: 'true'`. */
  metadata: z.record(z.string(), z.string()),
  /** Price of one unit in cents as a decimal text; null where the price has tiers. */
  default_price: z.object({ id: z.string(), unit_amount_decimal: z.string().nullable() }),
})
export type Plan = z.infer<typeof plan>

const price = z.object({
  id: z.string(),
  nickname: z.string().nullable(),
  unit_amount: z.int().nullable(),
  currency: z.string(),
  recurring: z.object({ interval: z.enum(['month', 'year']) }),
  product: z.string(),
})

/** A subscription of the account. `items.data[0]` is always the plan's item. */
export const subscription = z.object({
  id: z.string(),
  /** active, past_due, canceled, ...; only 'active' makes a plan current. */
  status: z.string(),
  plan_type: z.enum(['free', 'paid']),
  plan_id: z.string(),
  plan: z.object({
    id: z.string(),
    name: z.string(),
    nickname: z.string().nullable(),
    amount: z.int(),
    currency: z.string(),
    interval: z.enum(['month', 'year']),
    product: z.string(),
    credits_included: z.int(),
  }),
  items: z.object({ data: z.array(z.object({ price })) }),
  currency: z.string(),
  /** Unix seconds. */
  current_period_end: z.int(),
})
export type Subscription = z.infer<typeof subscription>

/** What the account can spend. `remaining` means nothing while `unlimited`. */
export const credits = z.object({ remaining: z.int(), unlimited: z.boolean(), payAsYouGoEnabled: z.boolean() })
export type Credits = z.infer<typeof credits>

/** A finalised invoice; `amount` in cents. */
export const invoice = z.object({
  id: z.string(),
  number: z.string(),
  created_at: z.iso.datetime(),
  amount: z.int(),
  status: z.enum(['open', 'paid', 'void', 'uncollectible']),
  invoice_pdf: z.url().nullable(),
})
export type Invoice = z.infer<typeof invoice>

/** Redeems the free plan; `priceId` chooses one where the catalogue has several. */
export const freePlanChoice = z.strictObject({
  priceId: z.string('must be the price id of a free plan').min(1).max(255).optional(),
})
