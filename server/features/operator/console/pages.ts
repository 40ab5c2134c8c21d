import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { pagePolicy } from '../../site/page-policy.ts'
import { findSession } from './find-session.ts'

const directory = resolve(import.meta.dirname, '../../../../dist/operator')
const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
}

/** The console's page and its files, for sessions of the console alone: everybody else gets what any unknown path gets. */
export function registerConsolePages(app: FastifyInstance, deps: Deps): void {
  if (!existsSync(join(directory, 'index.html'))) return
  const html = readFileSync(join(directory, 'index.html'), 'utf8')
  const policy = pagePolicy(html, deps.config)
  const assets = new Map(
    globSync('assets/*', { cwd: directory })
      .filter((file) => types[extname(file)])
      .map((file) => [`/operator/${file}`, readFileSync(join(directory, file))]),
  )
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
  app.get('/operator/*', { onRequest: guard }, (request, reply) => {
    const path = request.url.split('?', 1)[0]!
    if (path.startsWith('/operator/api/')) return reply.callNotFound()
    const asset = assets.get(path)
    if (asset)
      return reply
        .header('cache-control', 'private, max-age=31536000, immutable')
        .type(types[extname(path)]!)
        .send(asset)
    return path.startsWith('/operator/assets/') ? reply.callNotFound() : page(request, reply)
  })
}
