import type { FastifyInstance } from 'fastify'
import { operatorRoutes } from '#contract/operator/routes.ts'
import type { Deps } from '../../../deps.ts'
import { serveOperator } from '../console/serve.ts'
import { findPayment, pageOfPayments } from './read-payments.ts'

export function registerPayments(app: FastifyInstance, deps: Deps): void {
  const { kysely } = deps.db
  serveOperator(app, deps, operatorRoutes.listPayments, async ({ input: { query } }) => ({
    on: deps.config.AGENT_PAYMENTS !== 'off',
    ...(await pageOfPayments(kysely, query)),
  }))
  serveOperator(app, deps, operatorRoutes.getPayment, ({ input: { params } }) => findPayment(kysely, params.id))
}
