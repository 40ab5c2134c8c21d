import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { pagePolicy } from '../../site/page-policy.ts'
import { findSession } from './find-session.ts'

const directory = resolve(import.meta.dirname, '../../../../dist/operator')

/** The console's page and its files, for sessions of the console alone: everybody else gets what any unknown path gets. */
export function registerConsolePages(app: FastifyInstance, deps: Deps): void {
  if (!existsSync(join(directory, 'index.html'))) return
  const html = readFileSync(join(directory, 'index.html'), 'utf8')
  const policy = pagePolicy(html, deps.config)
  const guard = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!(await findSession(deps, request))) return reply.callNotFound()
  }
  const page = (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .header('content-security-policy', policy)
      .header('cache-control', 'private, no-store')
      .type('text/html; charset=utf-8')
      .send(html)
  app.get('/operator', { onRequest: guard }, page)
  app.get('/operator/*', { onRequest: guard }, (request, reply) =>
    request.url.startsWith('/operator/api/') ? reply.callNotFound() : page(request, reply),
  )
  app.register(async (files) => {
    files.addHook('onRequest', guard)
    await files.register(fastifyStatic, {
      root: join(directory, 'assets'),
      prefix: '/operator/assets/',
      decorateReply: false,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply) => {
        reply.header('cache-control', 'private, max-age=31536000, immutable')
      },
    })
  })
}
