import { z } from 'zod'
import { stepOf } from '../currency.ts'
import { act, anyRole, isPlainLine, operatorRoute, ownerOnly } from './route.ts'

const text = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(most, `has at most ${most} characters`)
    .refine(isPlainLine, 'must be one line without hidden characters')
const whole = (least: number, most: number) =>
  z.int('must be a whole number').min(least, `must be at least ${least}`).max(most, `must be at most ${most}`)
/** Stripe charges no less than 50 cents. */
const paidCents = whole(50, 99_999_999)

/** What a product may be at Stripe, whose dashboard has other rules than this console. */
const shownCommon = {
  name: z.string(),
  description: z.string(),
  currency: z.string(),
  /** Whether tax comes on top of the price or is part of it; absent: nobody has said. */
  tax_behavior: z.enum(['exclusive', 'inclusive']).optional(),
  /** Stripe's code for the kind of product. */
  tax_code: z.string().optional(),
}
/** Amounts in other currencies, in their minor units; absent: none. */
const otherCents = z.record(z.string(), z.int()).optional()
const shownPlan = z.object({
  kind: z.literal('plan'),
  ...shownCommon,
  /** Lines of the card on the pricing page. */
  features: z.array(z.string()),
  /** 0: a free plan. */
  price_cents: z.int(),
  other_prices: otherCents,
  interval: z.enum(['month', 'year']),
  /** Also sold by the year: twelve months minus 20 percent. */
  yearly: z.boolean(),
  /** Each month; of no meaning while `unlimited`. */
  credits: z.int(),
  unlimited: z.boolean(),
  rate_limit_per_minute: z.int(),
  trial_days: z.int(),
})
const shownPayg = z.object({
  kind: z.literal('payg'),
  ...shownCommon,
  features: z.array(z.string()),
  /** Cents of a request. */
  unit_cents: z.string(),
  /** In other currencies: the price of a request, and the least that a month costs. */
  other_prices: z.record(z.string(), z.object({ unit_cents: z.string(), minimum_cents: z.int() })).optional(),
  rate_limit_per_minute: z.int(),
})
const shownPack = z.object({
  kind: z.literal('pack'),
  ...shownCommon,
  price_cents: z.int(),
  other_prices: otherCents,
  /** They never expire. */
  credits: z.int(),
})
const shownFields = z.discriminatedUnion('kind', [shownPlan, shownPayg, shownPack])

const common = {
  name: text(60),
  description: text(300),
  /** ISO code, lower case. The prices of a product keep it. */
  currency: z.string().regex(/^[a-z]{3}$/, 'must be a currency such as usd'),
  tax_code: z
    .string()
    .regex(/^txcd_\d{8}$/, 'must be a tax code such as txcd_10103001')
    .optional(),
}
/** Zod does not say what is wrong with a key. */
const byCurrency = <T extends z.ZodType>(price: T) =>
  z.record(z.string(), price).refine((prices) => Object.keys(prices).every((code) => /^[a-z]{3}$/.test(code)), {
    error: 'must name currencies such as eur',
  })
const others = byCurrency(whole(1, 99_999_999))
  .refine((prices) => Object.entries(prices).every(([one, amount]) => amount % stepOf(one) === 0), {
    error: 'must end in 0 in currencies of three decimals',
  })
  .optional()
/** Stripe keeps 15. */
const features = z.array(text(80)).max(15, 'has at most 15 lines')
const rateLimit = whole(1, 1_000_000)
const credits = whole(1, 999_999_999)

const planFields = shownPlan.extend({
  ...common,
  features,
  price_cents: whole(0, 99_999_999).refine((cents) => cents === 0 || cents >= 50, 'must be 0, or at least 50 cents'),
  other_prices: others,
  credits,
  rate_limit_per_minute: rateLimit,
  trial_days: whole(0, 730),
})
const unitCents = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})(\.\d{1,12})?$/, 'must be cents such as 0.01, with at most 12 decimals')
  .refine((cents) => Number(cents) > 0, 'must be more than 0')
const paygFields = shownPayg.extend({
  ...common,
  features,
  unit_cents: unitCents,
  other_prices: byCurrency(z.object({ unit_cents: unitCents, minimum_cents: whole(1, 99_999_999) })).optional(),
  rate_limit_per_minute: rateLimit,
})
const packFields = shownPack.extend({ ...common, price_cents: paidCents, other_prices: others, credits })

/** What an operator decides about a product. */
export const productFields = z
  .discriminatedUnion('kind', [planFields, paygFields, packFields])
  .superRefine((fields, context) => {
    if (fields.other_prices && Object.hasOwn(fields.other_prices, fields.currency))
      context.addIssue({
        code: 'custom',
        path: ['other_prices'],
        message: `has ${fields.currency}, which is its own currency`,
      })
    if (fields.kind !== 'plan') return
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (fields.yearly && (fields.price_cents === 0 || fields.interval === 'year'))
      wrong('yearly', 'is for a plan that is paid by the month')
    if (fields.price_cents > 0) return
    if (fields.other_prices) wrong('other_prices', 'is not needed: a free plan is free in every currency')
    if (fields.interval === 'year') wrong('interval', 'must be month: a free plan renews each month')
    if (fields.trial_days > 0) wrong('trial_days', 'must be 0: a free plan has no trial')
  })
export type ProductFields = z.output<typeof productFields>

const time = z.iso.datetime()

/** Work that Stripe has yet to confirm. */
const productJob = z.object({
  kind: z.enum(['publish', 'archive', 'retire']),
  since: time,
  attempts: z.int(),
  /** Of the last attempt. */
  error: z.string().nullable(),
  /** Stripe refused it, and it is not tried again. */
  failed: z.boolean(),
})

const productPrice = z.object({
  id: z.string(),
  /** On sale: new customers pay it. Others have only the customers that they had. */
  on_sale: z.boolean(),
  price_cents: z.int(),
  /** Pay-as-you-go: cents of a request. */
  unit_cents: z.string().nullable(),
  interval: z.enum(['month', 'year']).nullable(),
  /** In each period's month; packs: bought at once. */
  credits: z.int(),
  unlimited: z.boolean(),
  /** Active, or late with a payment for less than seven days. Those in a trial too. */
  subscribers: z.int(),
  trials: z.int(),
  /** By currency, of subscribers without those in a trial; a year counts a twelfth, rounded once for the price. Absent: for finance and owners only. */
  mrr: z.record(z.string(), z.int()).optional(),
})

export const productEntry = z.object({
  id: z.string(),
  kind: z.enum(['plan', 'payg', 'pack']),
  name: z.string(),
  currency: z.string(),
  /** new: a draft that was never published; unsold: a pack while a cheaper one is on sale. */
  state: z.enum(['on_sale', 'unsold', 'archived', 'new']),
  free: z.boolean(),
  draft: z.boolean(),
  job: productJob.nullable(),
  prices: z.array(productPrice),
  subscribers: z.int(),
})

const draft = z.object({
  fields: shownFields,
  row_version: z.int(),
  edited_by: z.string(),
  edited_at: time,
  /** What is sold has changed since the draft was begun, so it cannot be published as it is. */
  outdated: z.boolean(),
})

export const productDetail = z.object({
  product: productEntry,
  /** What is sold, as an operator can write it; null: nothing, or archived. */
  live: shownFields.nullable(),
  draft: draft.nullable(),
  /** Newest first. */
  versions: z.array(
    z.object({
      version: z.int(),
      /** null: archived. */
      fields: shownFields.nullable(),
      published_by: z.string(),
      reason: z.string(),
      published_at: time,
    }),
  ),
  open_checkouts: z.int(),
})

const id = z.object({ id: z.string().regex(/^[\w-]{1,255}$/, 'must be the id of a product') })
const rowVersion = z.int().min(0)
const drafters = ['owner', 'finance'] as const
const changing = ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found', 'conflict'] as const
const detail = z.object({ product: productDetail })

/** Plans, packs and pay-as-you-go: what is sold at Stripe, and what operators prepare. */
export const productRoutes = {
  listProducts: operatorRoute({
    method: 'GET',
    path: '/operator/api/products',
    roles: anyRole,
    summary: 'All products: plans by price, pay-as-you-go, packs, then drafts of new ones and archived ones',
    status: 200,
    data: z.object({
      products: z.array(productEntry),
      /** By currency. Absent: for finance and owners only. */
      mrr: z.array(z.object({ currency: z.string(), cents: z.int() })).optional(),
      /** Without a payment provider nothing can be published. */
      sells: z.boolean(),
      /** Of a new product. */
      currency: z.string(),
    }),
    errors: [],
  }),
  getProduct: operatorRoute({
    method: 'GET',
    path: '/operator/api/products/{id}',
    roles: anyRole,
    summary: 'One product with its prices, draft and versions',
    params: id,
    status: 200,
    data: detail,
    errors: ['invalid_parameter', 'not_found'],
  }),
  createProduct: operatorRoute({
    method: 'POST',
    path: '/operator/api/products',
    roles: drafters,
    summary: 'Begins the draft of a new plan or pack',
    body: act.extend({ fields: productFields }),
    status: 200,
    data: detail,
    errors: changing,
  }),
  saveDraft: operatorRoute({
    method: 'POST',
    path: '/operator/api/products/{id}/draft',
    roles: drafters,
    summary: 'Saves the draft of a product. `row_version`: of the draft that the form was filled from, 0 without one',
    params: id,
    body: act.extend({ fields: productFields, row_version: rowVersion }),
    status: 200,
    data: detail,
    errors: changing,
  }),
  discardDraft: operatorRoute({
    method: 'POST',
    path: '/operator/api/products/{id}/discard',
    roles: drafters,
    summary: 'Discards the draft of a product',
    params: id,
    body: act.extend({ row_version: rowVersion }),
    status: 200,
    data: z.object({ discarded: z.literal(true) }),
    errors: changing,
  }),
  publishDraft: operatorRoute({
    method: 'POST',
    path: '/operator/api/products/{id}/publish',
    roles: ownerOnly,
    fresh: true,
    summary: 'Publishes the draft: a new version, and the work that brings it to Stripe',
    params: id,
    body: act.extend({ row_version: rowVersion }),
    status: 200,
    data: detail,
    errors: [...changing, 'billing_unavailable'],
  }),
  archiveProduct: operatorRoute({
    method: 'POST',
    path: '/operator/api/products/{id}/archive',
    roles: ownerOnly,
    fresh: true,
    summary: 'Ends the sale of a product. Its customers keep it, and open checkouts may be completed',
    params: id,
    body: act,
    status: 200,
    data: detail,
    errors: [...changing, 'billing_unavailable'],
  }),
}
