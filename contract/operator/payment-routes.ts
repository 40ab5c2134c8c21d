import { z } from 'zod'
import { anyRole, operatorRoute } from './route.ts'

/** What most wants attention first. unknown: or settling for more than ten minutes; open: claimed or settling; released: given up, its money was never asked for. */
export const paymentViews = ['unknown', 'open', 'settled', 'failed', 'released'] as const
export type PaymentView = (typeof paymentViews)[number]

export const paymentProducts = ['call', 'balance'] as const

export const agentPayment = z.object({
  id: z.uuid(),
  state: z.enum(['claimed', 'settling', 'settled', 'failed', 'unknown', 'released']),
  product: z.enum(paymentProducts),
  at: z.iso.datetime(),
  supplier: z.string(),
  network: z.string(),
  /** Address of the wallet. */
  payer: z.string(),
  /** Millionths of a US dollar. */
  micro_usd: z.int(),
  credits: z.int(),
  /** Where its call or balance is recorded; of a balance that is not paid yet, the payer's own. */
  account_id: z.uuid(),
  account_name: z.string(),
  /** Of the call that it paid. */
  receipt_id: z.string().nullable(),
  /** The transaction. */
  reference: z.string().nullable(),
  /** Why it failed, or is not known. */
  reason: z.string().nullable(),
})

const time = z.iso.datetime().nullable()

/** What agents without an account paid. */
export const paymentRoutes = {
  listPayments: operatorRoute({
    method: 'GET',
    path: '/operator/api/payments',
    roles: anyRole,
    summary: 'Payments of agents in one state, newest first, and how many there are in each',
    query: z.object({
      state: z.enum(paymentViews),
      product: z.enum(paymentProducts).optional(),
      /** The whole address. */
      payer: z.string().trim().toLowerCase().min(1).max(100).optional(),
      before: z.coerce.number().int().positive().optional(),
    }),
    status: 200,
    data: z.object({
      /** Whether agents can pay. */
      on: z.boolean(),
      /** Of all payments, counted to 10,001. */
      counts: z.record(z.enum(paymentViews), z.int()),
      payments: z.array(agentPayment),
      next: z.int().nullable(),
    }),
    errors: ['invalid_parameter'],
  }),
  getPayment: operatorRoute({
    method: 'GET',
    path: '/operator/api/payments/{id}',
    roles: anyRole,
    summary: 'One payment of an agent',
    params: z.object({ id: z.uuid() }),
    status: 200,
    data: agentPayment.extend({
      /** The token. */
      asset: z.string(),
      /** What makes the payment single, with the payer. */
      nonce: z.string(),
      pay_to: z.string(),
      /** In the smallest unit of the token. */
      atomic: z.string(),
      /** Claims of this payment, and repeats of its answer. */
      attempts: z.int(),
      repeats: z.int(),
      tool: z.string().nullable(),
      settling_at: time,
      decided_at: time,
      looked_at: time,
      valid_before: z.iso.datetime(),
    }),
    errors: ['invalid_parameter', 'not_found'],
  }),
}
