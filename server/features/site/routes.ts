import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { AppError } from '../../http/errors.ts'
import { perShop } from '../shop/serve-shop.ts'
import { faqOf } from './faq.ts'
import { registerHealth } from './health.ts'
import { legalPagesOf, loadLegalPages } from './legal-pages.ts'
import { registerOpenapi } from './openapi.ts'
import { registerPages } from './pages.ts'
import { webSettings } from './web-settings.ts'

/** Site-wide routes: health, the web's settings, OpenAPI, the built web. */
export async function registerSite(app: FastifyInstance, deps: Deps): Promise<void> {
  registerHealth(app, deps)
  app.get('/config.json', (_request, reply) =>
    reply
      .type('application/json')
      .header('cache-control', 'no-cache')
      .send(webSettings(deps.config, deps.shop.current(), deps.switches.banner())),
  )
  const delivered = await loadLegalPages(deps.config)
  const legal = perShop((shop) => legalPagesOf(shop, delivered))
  serve(app, deps, routes.getLegalPage, ({ input: { params } }) => {
    const page = legal(deps.shop.current())[params.page]
    if (!page) throw new AppError('not_found', `This installation has no page ${params.page}.`)
    return page
  })
  const faq = perShop(faqOf)
  serve(app, deps, routes.getFaq, () => ({ categories: faq(deps.shop.current()) }))
  await registerOpenapi(app, deps)
  await registerPages(app, deps, legal)
}
