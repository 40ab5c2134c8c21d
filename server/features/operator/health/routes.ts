import type { FastifyInstance } from 'fastify'
import { operatorRoutes } from '#contract/operator/routes.ts'
import type { Deps } from '../../../deps.ts'
import { serveOperator } from '../console/serve.ts'
import { acknowledgeFinding, listAttention } from './attention.ts'
import { listSwitches, setBanner, setSales } from './change-switches.ts'
import { readGoLive } from './go-live.ts'
import { readHealth } from './read-health.ts'

export function registerHealth(app: FastifyInstance, deps: Deps): void {
  serveOperator(app, deps, operatorRoutes.listAttention, async () => ({ findings: await listAttention(deps) }))
  serveOperator(app, deps, operatorRoutes.acknowledgeFinding, async ({ ctx, input: { body } }) => {
    await acknowledgeFinding(ctx, body)
    return { acknowledged: true as const }
  })
  serveOperator(app, deps, operatorRoutes.getHealth, () => readHealth(deps))
  serveOperator(app, deps, operatorRoutes.getGoLive, async () => ({ items: await readGoLive(deps) }))
  serveOperator(app, deps, operatorRoutes.getSwitches, () => listSwitches(deps))
  serveOperator(app, deps, operatorRoutes.setSales, async ({ ctx, input: { body } }) => {
    await setSales(ctx, body)
    return { stopped: body.stopped }
  })
  serveOperator(app, deps, operatorRoutes.setBanner, async ({ ctx, input: { body } }) => {
    await setBanner(ctx, body)
    return { shown: body.banner !== null }
  })
}
