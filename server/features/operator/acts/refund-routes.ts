import type { FastifyInstance } from 'fastify'
import { actRoutes } from '#contract/operator/act-routes.ts'
import type { Deps } from '../../../deps.ts'
import { listPaidInvoices, listRefunds } from '../../billing/refunds/list-refunds.ts'
import { refundEffect, unburnedCents } from '../../billing/refunds/refund-effect.ts'
import { refundFigures } from '../../billing/refunds/refund-figures.ts'
import { serveOperator } from '../console/serve.ts'
import { findCustomer } from './act-on-account.ts'
import { refund, sendRefundAgain } from './refund.ts'

/** Refunds of a customer's invoices. */
export function registerRefunds(app: FastifyInstance, deps: Deps): void {
  const { kysely } = deps.db
  serveOperator(app, deps, actRoutes.listRefunds, async ({ input: { params } }) => {
    const { id } = await findCustomer(kysely, params.id)
    return { invoices: await listPaidInvoices(kysely, id), refunds: await listRefunds(kysely, id) }
  })
  serveOperator(app, deps, actRoutes.previewRefund, async ({ input: { params, query } }) => {
    const { id } = await findCustomer(kysely, params.id)
    const figures = await kysely.transaction().execute((tx) => refundFigures(tx, params.invoice, id))
    const unburned = unburnedCents(figures)
    const cents = Math.min(query.cents ?? unburned, figures.paid_cents - figures.refunded_cents)
    return { ...figures, unburned_cents: unburned, cents, ...refundEffect(figures, cents) }
  })
  serveOperator(app, deps, actRoutes.refundInvoice, async ({ ctx, input: { params, body } }) => {
    const { invoice, cents, keeps_credits, refunded_cents, ...act } = body
    const account = await findCustomer(kysely, params.id)
    const asked = { invoiceId: invoice, cents, keepsCredits: keeps_credits, refundedCents: refunded_cents }
    return { state: await refund(ctx, account, act, asked) }
  })
  serveOperator(app, deps, actRoutes.sendRefundAgain, async ({ ctx, input: { params, body } }) => {
    const account = await findCustomer(kysely, params.id)
    return { state: await sendRefundAgain(ctx, account, body, params.refund) }
  })
}
