import type { FastifyInstance } from 'fastify'
import { operatorRoutes } from '#contract/operator/routes.ts'
import type { Deps } from '../../../deps.ts'
import { readFailedCalls } from '../../usage/failed-calls.ts'
import { serveOperator } from '../console/serve.ts'
import { listDeliveries, summarizeDeliveries } from './list-deliveries.ts'
import { retryDeliveries } from './retry-deliveries.ts'

export function registerDelivery(app: FastifyInstance, deps: Deps): void {
  serveOperator(app, deps, operatorRoutes.summarizeDeliveries, async () => ({
    channels: await summarizeDeliveries(deps.db),
  }))
  serveOperator(app, deps, operatorRoutes.listDeliveries, ({ input: { params, query } }) =>
    listDeliveries(deps.db, params.channel, query),
  )
  serveOperator(app, deps, operatorRoutes.retryDeliveries, async ({ ctx, input: { params, body } }) => ({
    retried: await retryDeliveries(ctx, params.channel, body),
  }))
  serveOperator(app, deps, operatorRoutes.listFailingCalls, async ({ input: { query } }) => ({
    failing: (await readFailedCalls(deps.db.kysely, query.hours)).map(({ lastAt, ...row }) => ({
      ...row,
      last_at: lastAt.toISOString(),
    })),
  }))
}
