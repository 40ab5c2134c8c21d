import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { registerHealth } from './health.ts'
import { loadLegalPages } from './legal-pages.ts'
import { registerOpenapi } from './openapi.ts'
import { registerPages } from './pages.ts'
import { webSettings } from './web-settings.ts'

/** Site-wide routes: health, the web's settings, OpenAPI, the built web. */
export async function registerSite(app: FastifyInstance, deps: Deps): Promise<void> {
  registerHealth(app, deps)
  const settings = JSON.stringify(webSettings(deps.config))
  app.get('/config.json', (_request, reply) =>
    reply.type('application/json').header('cache-control', 'no-cache').send(settings),
  )
  const legal = await loadLegalPages(deps.config)
  serve(app, deps, routes.getLegalPage, ({ input }) => legal[input.params.page])
  await registerOpenapi(app, deps)
  await registerPages(app, deps, legal)
}
