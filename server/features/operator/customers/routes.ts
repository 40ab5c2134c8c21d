import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { operatorRoutes as routes } from '#contract/operator/routes.ts'
import type { Deps } from '../../../deps.ts'
import { serveOperator } from '../console/serve.ts'
import { findCustomer } from './customer-facts.ts'
import { customersCsv } from './customers-csv.ts'
import { listCustomers, planNames } from './list-customers.ts'
import { search } from './search.ts'

/** Finding and reading customers. */
export function registerCustomers(app: FastifyInstance, deps: Deps): void {
  const db = deps.db.kysely
  serveOperator(app, deps, routes.search, ({ input: { query } }) => search(deps, query.q))
  serveOperator(app, deps, routes.listCustomers, async ({ input: { query } }) => {
    const { before, ...filter } = query
    const [page, plans] = await Promise.all([listCustomers(db, filter, { before }), planNames(db)])
    return { ...page, plans }
  })
  serveOperator(app, deps, routes.customersCsv, ({ input: { query }, reply }) => {
    reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="customers.csv"')
    return Readable.from(customersCsv(db, query))
  })
  serveOperator(app, deps, routes.getCustomer, ({ input: { params } }) => findCustomer(db, params.id))
}
