import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { readKeyAnalytics, readUsage } from './analytics.ts'
import { readCreditHistory } from './credit-history.ts'
import { CSV_PATH, openCsvLink, signCsvLink } from './csv-link.ts'
import { readFilter } from './receipt-filter.ts'
import { findReceipt, listReceipts } from './receipts.ts'
import { receiptsCsv } from './receipts-csv.ts'
import { addReport, reportsOf } from './reports.ts'

/** Usage routes of the product API: analytics, receipts, client reports. */
export function registerUsage(app: FastifyInstance, deps: Deps): void {
  serve(app, deps, routes.getUsage, ({ ctx, input }) => readUsage(ctx, input.query.range))
  serve(app, deps, routes.getKeyAnalytics, ({ ctx, input }) =>
    readKeyAnalytics(ctx, input.params.id, input.query.range),
  )
  serve(app, deps, routes.getCreditHistory, ({ ctx }) => readCreditHistory(ctx))
  serve(app, deps, routes.listReceipts, ({ ctx, input }) => listReceipts(ctx, input.query))
  serve(app, deps, routes.listUsageTools, () => ({
    tools: deps.tools
      .current()
      .all.map(({ tool }) => tool.name)
      .sort(),
  }))
  serve(app, deps, routes.linkReceiptsCsv, async ({ ctx, input }) => ({ url: await signCsvLink(ctx, input.query) }))
  serveCsv(app, deps)
  serve(app, deps, routes.getReceipt, async ({ ctx, input }) => ({
    receipt: await findReceipt(ctx, input.params.id),
    reports: await reportsOf(ctx, input.params.id),
  }))
  serve(app, deps, routes.logUsage, async ({ ctx, input }) => ({ report: await addReport(ctx, input.body) }))
}

/** The download behind a signed link: the log as it is read from the database, however long. */
function serveCsv(app: FastifyInstance, deps: Deps): void {
  app.get(CSV_PATH, async (request, reply) => {
    const { account, filter } = await openCsvLink(deps, new URLSearchParams(request.url.split('?')[1]))
    const rows = Readable.from(receiptsCsv(deps, account, await readFilter(deps, account, filter)))
    rows.on('close', deps.limits.enter('downloads', `account ${account.accountId}`))
    return reply
      .header('cache-control', 'private, no-store')
      .header('content-disposition', 'attachment; filename="finmeter-calls.csv"')
      .type('text/csv; charset=utf-8; header=present')
      .send(rows)
  })
}
