import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { registerHealth } from './health.ts'
import { registerOpenapi } from './openapi.ts'
import { registerPages } from './pages.ts'
import { webSettings } from './web-settings.ts'

/** What belongs to the site as a whole: health, the web's settings, OpenAPI, the built web. */
export async function registerSite(app: FastifyInstance, deps: Deps): Promise<void> {
  registerHealth(app, deps)
  const settings = JSON.stringify(webSettings(deps.config))
  app.get('/config.json', (_request, reply) =>
    reply.type('application/json').header('cache-control', 'no-cache').send(settings),
  )
  await registerOpenapi(app, deps)
  await registerPages(app, deps)
}
