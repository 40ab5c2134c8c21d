import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { operatorRoutes as routes } from '#contract/operator/routes.ts'
import type { Deps } from '../../../deps.ts'
import { listCallsOf } from '../../usage/receipts.ts'
import { readsMoney } from '../console/reads-money.ts'
import { logAct } from '../console/run-act.ts'
import { serveOperator } from '../console/serve.ts'
import { findCustomer, openCustomer } from './customer-facts.ts'
import { customersCsv } from './customers-csv.ts'
import { explainReceipt } from './explain-receipt.ts'
import { readLedger } from './ledger.ts'
import { readLimits } from './limits.ts'
import { listCustomers, planNames } from './list-customers.ts'
import { listInvoicesOfCustomer } from './list-invoices.ts'
import { listKeysOfCustomer } from './list-keys.ts'
import { readOverview } from './overview.ts'
import { listPeople } from './people.ts'
import { search } from './search.ts'
import { readTimeline } from './timeline.ts'
import { totalCustomers } from './total-customers.ts'
import { readWebhooks } from './webhooks.ts'

/** Finding and reading customers. */
export function registerCustomers(app: FastifyInstance, deps: Deps): void {
  const db = deps.db.kysely
  serveOperator(app, deps, routes.search, ({ input: { query } }) => search(deps, query.q))
  serveOperator(app, deps, routes.listCustomers, async ({ input: { query } }) => {
    const { before, ...filter } = query
    const [page, plans] = await Promise.all([listCustomers(db, filter, { before }), planNames(db)])
    return { ...page, plans }
  })
  serveOperator(app, deps, routes.totalCustomers, ({ ctx, input: { query } }) =>
    totalCustomers(db, query, { withMoney: readsMoney(ctx) }),
  )
  serveOperator(app, deps, routes.customersCsv, async ({ ctx, input: { query }, reply }) => {
    const entry = { action: 'customers.exported', reason: 'Downloaded in the console' }
    await logAct(db, ctx.operator.email, entry, { after: query })
    reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="customers.csv"')
    return Readable.from(customersCsv(db, query))
  })
  serveOperator(app, deps, routes.getCustomer, ({ input: { params } }) => findCustomer(db, params.id))
  serveOperator(app, deps, routes.getCustomerOverview, ({ input: { params } }) => readOverview(deps.db, params.id))
  serveOperator(app, deps, routes.listCustomerLedger, async ({ input: { params, query } }) => {
    const { found, home } = await openCustomer(deps.db, params.id)
    return readLedger(home, found.number, query)
  })
  serveOperator(app, deps, routes.listCustomerKeys, async ({ input: { params } }) => ({
    keys: await listKeysOfCustomer(deps.db, params.id),
  }))
  serveOperator(app, deps, routes.listCustomerCalls, async ({ input: { params, query } }) => {
    const { number: accountId, bucket } = await findCustomer(db, params.id)
    return listCallsOf(deps, { accountId, bucket }, query)
  })
  serveOperator(app, deps, routes.listCustomerInvoices, ({ input: { params, query } }) =>
    listInvoicesOfCustomer(db, params.id, query.before),
  )
  serveOperator(app, deps, routes.listCustomerPeople, ({ input: { params } }) => listPeople(db, params.id))
  serveOperator(app, deps, routes.getCustomerLimits, ({ input: { params } }) => readLimits(deps.db, params.id))
  serveOperator(app, deps, routes.getCustomerWebhooks, ({ input: { params } }) => readWebhooks(db, params.id))
  serveOperator(app, deps, routes.listCustomerTimeline, async ({ input: { params, query } }) =>
    readTimeline(db, await findCustomer(db, params.id), query),
  )
  serveOperator(app, deps, routes.getReceipt, ({ input: { params } }) => explainReceipt(deps, params.id))
}
