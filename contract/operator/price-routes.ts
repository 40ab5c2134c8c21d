import { z } from 'zod'
import { act, anyRole, operatorRoute, ownerOnly } from './route.ts'

const credits = z.int('must be a whole number').min(0, 'must be at least 0').max(1_000_000, 'must be at most 1000000')

/** A tool with what a call of it costs. */
export const toolPrice = z.object({
  tool: z.string(),
  title: z.string(),
  /** In words, as pages state it. */
  price: z.string(),
  kind: z.enum(['fixed', 'rows', 'unit', 'kib']),
  /** Of a call, or of each portion. */
  credits: z.int(),
  /** The highest price of a call; null: there is none, or the price is fixed. */
  most: z.int().nullable(),
  /** The upstream whose operation it is; null: it comes with the product, and its code sets the price. */
  upstream: z.object({ id: z.string(), title: z.string(), operation: z.string(), version: z.int() }).nullable(),
})

const simulatedTool = toolPrice.pick({ tool: true, title: true, price: true }).extend({
  /** null: it is no longer served, so it keeps what it brought. */
  credits_each: z.int().nullable(),
  simulated_each: z.int().nullable(),
  calls: z.int(),
  credits: z.int(),
  simulated_credits: z.int(),
  /** Of a price that varies, from its portions, or of a tool that was free: it may differ by answers that stay free, or that cost the most. */
  estimated: z.boolean(),
})

const credited = { credits: z.int(), simulated_credits: z.int() }
/** Minor units of a customer's own currency. Sums of different currencies are never added. */
const money = { currency: z.string(), cents: z.int(), simulated_cents: z.int() }

/** `tool:credits`, separated by commas. */
const changes = z
  .string()
  .max(4_000, 'has at most 4000 characters')
  .transform((text, context) => {
    const found = new Map<string, number>()
    for (const part of text.split(',').filter(Boolean)) {
      const [, tool, amount] = /^([\w.-]{1,200}):(\d{1,7})$/.exec(part) ?? []
      if (tool === undefined || Number(amount) > 1_000_000) {
        context.addIssue({ code: 'custom', message: 'must be tool:credits, such as get_bars:2, separated by commas' })
        return z.NEVER
      }
      found.set(tool, Number(amount))
    }
    return found
  })

/** Prices of tools and operations, and what others would have brought. */
export const priceRoutes = {
  listPrices: operatorRoute({
    method: 'GET',
    path: '/operator/api/prices',
    roles: anyRole,
    summary: 'Every tool that is sold, with its price rule',
    status: 200,
    data: z.object({ tools: z.array(toolPrice) }),
    errors: [],
  }),
  setPrice: operatorRoute({
    method: 'POST',
    path: '/operator/api/prices/{tool}',
    roles: ownerOnly,
    fresh: true,
    summary:
      'Changes the price of an operation: the next version of its upstream. `version`: the one that the form was filled from',
    params: z.object({ tool: z.string().regex(/^\w{1,200}$/, 'must be the name of a tool') }),
    body: act.extend({ version: z.int().min(1), credits, most: credits.min(1).nullable() }),
    status: 200,
    data: z.object({ upstream: z.string(), version: z.int() }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found', 'conflict'],
  }),
  simulatePrices: operatorRoute({
    method: 'GET',
    path: '/operator/api/price-simulation',
    roles: anyRole,
    summary: 'What the calls of the last full month would have brought at other prices',
    query: z.object({ prices: changes.optional() }),
    status: 200,
    data: z.object({
      /** `2026-10`, in UTC. */
      month: z.string(),
      days: z.int(),
      /** Days whose calls are in the sums: the last one comes six hours after the month's end. */
      days_summed: z.int(),
      /** By which credits beyond a plan's are bought; null: none is sold, and they count nothing. */
      pack: z.object({ credits: z.int() }).nullable(),
      tools: z.array(simulatedTool),
      totals: z.object({
        ...credited,
        customers: z.int(),
        /** By the currency that customers pay in. Empty, except for finance and owners. */
        money: z.array(
          z.object({
            ...money,
            customers: z.int(),
            /** Of the pack in this currency; null: it is not sold in it, and credits beyond a plan's count nothing. */
            pack_cents: z.int().nullable(),
            pay_more: z.int(),
            pay_less: z.int(),
          }),
        ),
      }),
      /** By currency, the ten whose cost would change most. */
      biggest: z.array(
        z.object({ ...credited, ...money, account_id: z.uuid(), name: z.string(), plan: z.string().nullable() }),
      ),
    }),
    errors: ['invalid_parameter', 'not_found'],
  }),
}
