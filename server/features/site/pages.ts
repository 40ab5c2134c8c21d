import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { isApiPath, pathOf, sendNotFound } from '../../http/error-handler.ts'
import type { Shop } from '../shop/shop.ts'
import { createDrawnPages, type DrawnPage } from './drawn-pages.ts'
import type { LegalPages } from './legal-pages.ts'

const webDir = resolve(import.meta.dirname, '../../../dist/web')
const ONE_YEAR_SECONDS = 31_536_000

/**
 * Serves the built web: hashed assets cached forever, pages always fresh, the application's page for every other path.
 */
export async function registerPages(
  app: FastifyInstance,
  deps: Deps,
  legal: (shop: Shop) => LegalPages,
): Promise<void> {
  if (!existsSync(join(webDir, 'index.html'))) {
    deps.log.warn('dist/web is missing: only the APIs are served. Build it with: npm run build:web')
    app.setNotFoundHandler(sendNotFound)
    return
  }
  const files = { index: false, preCompressed: true, cacheControl: false } as const
  await app.register(fastifyStatic, {
    ...files,
    root: join(webDir, 'assets'),
    prefix: '/assets/',
    setHeaders: (reply) => {
      reply.header('cache-control', `public, max-age=${ONE_YEAR_SECONDS}, immutable`)
    },
  })
  await app.register(fastifyStatic, {
    ...files,
    root: webDir,
    decorateReply: false,
    wildcard: false,
    // The page template, files that only the server reads, and those that are served above.
    globIgnore: ['index.html*', '.vite/**', 'assets/**'],
    setHeaders: (reply, path) => {
      reply.header('cache-control', 'no-cache')
      // Mails have it, and mail programs in a browser show it on their own pages.
      if (path === join(webDir, 'icon.png')) reply.header('cross-origin-resource-policy', 'cross-origin')
    },
  })
  // Programs request these without reading a page, and not all of them support SVG.
  app.get('/favicon.ico', { exposeHeadRoute: true }, (_request, reply) => {
    const { logo } = deps.shop.current()
    return logo ? reply.redirect(logo.path, 302) : reply.redirect('/icon.png', 301)
  })
  const drawn = createDrawnPages(deps, webDir, legal)
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request)
    const wantsPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !isApiPath(path) &&
      !path.startsWith('/mcp') &&
      !/\.[a-z0-9]+$/i.test(path)
    if (!wantsPage) return sendNotFound(request, reply)
    return sendPage(await drawn(path), request, reply)
  })
}

function sendPage(page: DrawnPage, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply
    .header('content-security-policy', page.policy)
    .header('cache-control', 'no-cache')
    .header('vary', 'accept, accept-encoding')
    .header('etag', page.etag)
    .type('text/html; charset=utf-8')
  if (request.headers['if-none-match'] === page.etag) return reply.code(304).send()
  reply.code(page.status)
  const accepted = request.headers['accept-encoding'] ?? ''
  for (const encoding of ['br', 'gzip'] as const)
    if (new RegExp(`\\b${encoding}\\b(?!;q=0(\\.0*)?(,|$))`).test(accepted))
      return reply.header('content-encoding', encoding).send(page[encoding])
  return reply.send(page.plain)
}
