import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { readKeyAnalytics, readUsage } from './analytics.ts'
import { readCreditHistory } from './credit-history.ts'
import { findReceipt, listReceipts } from './receipts.ts'
import { addReport, reportsOf } from './reports.ts'

/** Usage routes of the product API: analytics, receipts, client reports. */
export function registerUsage(app: FastifyInstance, deps: Deps): void {
  serve(app, deps, routes.getUsage, ({ ctx, input }) => readUsage(ctx, input.query.range))
  serve(app, deps, routes.getKeyAnalytics, ({ ctx, input }) =>
    readKeyAnalytics(ctx, input.params.id, input.query.range),
  )
  serve(app, deps, routes.getCreditHistory, ({ ctx }) => readCreditHistory(ctx))
  serve(app, deps, routes.listReceipts, ({ ctx, input }) => listReceipts(ctx, input.query))
  serve(app, deps, routes.getReceipt, async ({ ctx, input }) => ({
    receipt: await findReceipt(ctx, input.params.id),
    reports: await reportsOf(ctx, input.params.id),
  }))
  serve(app, deps, routes.logUsage, async ({ ctx, input }) => ({ report: await addReport(ctx, input.body) }))
}
