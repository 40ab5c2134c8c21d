import { z } from 'zod'

/** How a price and tax go together: tax on top of it, or in it. */
const taxBehavior = z.enum(['exclusive', 'inclusive'])

/** A plan of the catalog. Money is in minor units (cents). */
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
  /** free: the price is 0 and calls are not billed individually. */
  type: z.enum(['free', 'paid']),
  /** The calling account is subscribed to this plan; always false in the public list. */
  current: z.boolean(),
  /** Credits per period; 0 for pay-as-you-go, which grants none. */
  credits: z.int(),
  features: z.array(z.string()),
  marketing_features: z.array(z.object({ name: z.string() })),
  /** `type: 'payg'` marks pay-as-you-go; `credits` or `credit`, `rate_limit` (per minute), `unlimited: 'true'`. */
  metadata: z.record(z.string(), z.string()),
  /** Price of one unit in cents as a decimal string; null for tiered prices. */
  default_price: z.object({ id: z.string(), unit_amount_decimal: z.string().nullable() }),
  /** The same plan paid yearly (monthly x 12 x 0.8), in cents per year; absent if it is not sold. */
  annual: z.object({ priceId: z.string(), price: z.int() }).optional(),
  /** Absent while taxes are off. */
  tax_behavior: taxBehavior.optional(),
  /** What it costs in other currencies, by ISO code in lower case, in their minor units; absent if it is sold in one. */
  prices: z
    .record(
      z.string(),
      z.object({ price: z.int(), unit_amount_decimal: z.string().nullable(), annual: z.int().optional() }),
    )
    .optional(),
})
export type Plan = z.infer<typeof plan>

const price = z.object({
  id: z.string(),
  nickname: z.string().nullable(),
  unit_amount: z.int().nullable(),
  /** Cents per unit as a decimal string: a metered price is a fraction of a cent. */
  unit_amount_decimal: z.string().nullable(),
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
  /** During a trial: when it ends and payment starts, in unix seconds. */
  trial_end: z.int().nullable(),
  /** When it ends at the customer's request, in unix seconds; null: it renews. */
  cancels_at: z.int().nullable(),
  /** The price that takes over at the end of the period; null: none. */
  pending_change: z.object({ priceId: z.string(), name: z.string() }).nullable(),
  /** With the seller's own tax rates, it changes only to plans of the same behavior; absent: to any. */
  fixed_tax_behavior: taxBehavior.optional(),
  /** Stripe's own status, such as trialing, where `status` says active; null without Stripe. */
  provider_status: z.string().nullable(),
})
export type Subscription = z.infer<typeof subscription>

/** What the account can spend. `remaining` is meaningless while `unlimited`. */
export const credits = z.object({ remaining: z.int(), unlimited: z.boolean(), payAsYouGoEnabled: z.boolean() })
export type Credits = z.infer<typeof credits>

/** A finalized invoice; `amount` in cents. `description`: the plan or the credits that it is for; null if unknown. */
export const invoice = z.object({
  id: z.string(),
  number: z.string(),
  description: z.string().nullable(),
  created_at: z.iso.datetime(),
  amount: z.int(),
  currency: z.string(),
  status: z.enum(['open', 'paid', 'void', 'uncollectible']),
  invoice_pdf: z.url().nullable(),
  /** Our receipt: a PDF, or a page to print where a PDF lacks its letters. Null while it is not paid. */
  receipt: z.url().nullable(),
  /** Its taxes; absent if none was to be computed. `amount` includes them. */
  tax: z
    .object({
      amount: z.int(),
      /** `percent`, null if unknown. `included`: part of the prices, not on top of them. */
      lines: z.array(
        z.object({ label: z.string(), percent: z.number().nullable(), amount: z.int(), included: z.boolean() }),
      ),
      /** Why there is none; null: there is, or the provider gives no reason that we know. */
      untaxed: z.enum(['reverse_charge', 'not_collecting', 'exempt', 'no_location']).nullable(),
    })
    .optional(),
})
export type Invoice = z.infer<typeof invoice>

/** Redeems the free plan. `priceId` chooses one if the catalog has several. */
export const freePlanChoice = z.strictObject({
  priceId: z.string('must be the price id of a free plan').min(1).max(255).optional(),
})

/** What to pay in, where more than one currency is sold; default: what the account pays in, else the price's own. */
const currency = z
  .string()
  .regex(/^[a-z]{3}$/, 'must be a currency such as eur, in lower case')
  .optional()

const ownPage = z.string('must be an address').min(1, 'must not be empty').max(2_000, 'is too long').optional()

/** Opens the checkout of a paid plan. Return URLs must be ours; default the billing page. */
export const checkoutRequest = z.strictObject({
  priceId: z.string('is required: the price id of a plan').min(1, 'must not be empty').max(255, 'is too long'),
  /** If false, payment starts at once, even if a trial is offered. */
  trial: z.boolean('must be true or false').default(true),
  currency,
  successUrl: ownPage,
  cancelUrl: ownPage,
})

/** Opens the billing portal. `returnUrl` is one of our own pages, default the billing page. */
export const portalRequest = z.strictObject({ returnUrl: ownPage })

/** A URL at the payment provider (or its sandbox) to send the browser to. */
export const redirectAddress = z.object({ url: z.url() })

const packs = z.int('must be a whole number of packs').min(1, 'must be at least 1').max(1_000, 'must be at most 1000')

/** Buys packs of credits. A repeat with the same `requestId` returns the same page. */
export const topupRequest = z.strictObject({
  packs,
  currency,
  requestId: z.string('must be a text').min(1, 'must not be empty').max(100, 'is too long').optional(),
  /** Saves the card for automatic top-ups. */
  saveCard: z.boolean('must be true or false').default(false),
  successUrl: ownPage,
  cancelUrl: ownPage,
})

/** Credits bought automatically when few are left. */
export const autoTopup = z.object({
  enabled: z.boolean(),
  /** Credits below which packs are bought. */
  threshold: z.int(),
  packs: z.int(),
  /** Maximum spent per calendar month, in cents; null: no limit. */
  monthlyCapCents: z.int().nullable(),
  /** Of the limit, where more than one currency is sold. */
  currency: z.string().optional(),
  /** Why it was suspended: the card's decline code; null: it is not. */
  suspended: z.string().nullable(),
  /** Where the customer confirms a payment for their bank; null: nothing is waiting. */
  actionUrl: z.url().nullable(),
})
export type AutoTopup = z.infer<typeof autoTopup>

export const autoTopupChange = z.strictObject({
  enabled: z.boolean('must be true or false'),
  threshold: z
    .int('must be a whole number of credits')
    .min(0, 'must be at least 0')
    .max(1_000_000_000, 'must be at most 1000000000')
    .default(1_000),
  packs: packs.default(1),
  monthlyCapCents: z
    .int('must be a whole number of cents, or null')
    .min(1, 'must be at least 1')
    .max(100_000_000, 'must be at most 100000000')
    .nullable()
    .default(null),
})

/** What a top-up buys, and the rule for automatic ones. `price` in cents per pack. */
export const topupOffer = z.object({
  pack: z
    .object({
      name: z.string(),
      credits: z.int(),
      price: z.int(),
      currency: z.string(),
      tax_behavior: taxBehavior.optional(),
      /** In other currencies, by ISO code; absent if it is sold in one. */
      prices: z.record(z.string(), z.int()).optional(),
    })
    .nullable(),
  autoTopup,
})
export type TopupOffer = z.infer<typeof topupOffer>

/** Where alerts are posted. `secret` signs them (Standard Webhooks). */
export const alertWebhook = z.object({ url: z.url(), secret: z.string() })
export type AlertWebhook = z.infer<typeof alertWebhook>

export const alertWebhookChange = z.strictObject({
  url: z.url('must be an https address, or null').max(2_000, 'is too long').nullable(),
})

/** The next charge and its date, if nothing changes. Amounts in cents. */
export const upcomingInvoice = z.object({
  amount: z.int(),
  currency: z.string(),
  at: z.iso.datetime(),
  lines: z.array(z.object({ description: z.string(), amount: z.int() })),
  /** Taxes on top of the lines, part of `amount`. Absent if none is known: `tax_added` says that it will be. */
  taxes: z.array(z.object({ label: z.string(), percent: z.number().nullable(), amount: z.int() })).optional(),
  /** Tax comes on top of `amount` when the invoice is made; absent: it does not. */
  tax_added: z.literal(true).optional(),
})
export type UpcomingInvoice = z.infer<typeof upcomingInvoice>
