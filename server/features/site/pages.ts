import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { isApiPath, pathOf, sendNotFound } from '../../http/error-handler.ts'
import { contentPolicy } from '../../http/security-headers.ts'

const webDir = resolve(import.meta.dirname, '../../../dist/web')
const ONE_YEAR_SECONDS = 31_536_000

interface Page {
  html: Buffer
  etag: string
  policy: string
}

/** Serves the built web: hashed assets for ever, pages always fresh, the application's page for every path of its own. */
export async function registerPages(app: FastifyInstance, deps: Deps): Promise<void> {
  if (!existsSync(join(webDir, 'index.html'))) {
    deps.log.warn('dist/web is missing: only the APIs are served. Build it with: npm run build:web')
    app.setNotFoundHandler(sendNotFound)
    return
  }
  await app.register(fastifyStatic, {
    root: webDir,
    index: false,
    wildcard: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header(
        'cache-control',
        path.includes(`${join(webDir, 'assets')}`) ? `public, max-age=${ONE_YEAR_SECONDS}, immutable` : 'no-cache',
      )
      if (path.endsWith('.html')) reply.header('content-security-policy', shell.policy)
    },
  })
  const https = deps.config.PUBLIC_URL.startsWith('https:')
  const shell = readPage(join(webDir, 'index.html'), https)
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    const wantsPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !isApiPath(path) &&
      !path.startsWith('/mcp') &&
      !/\.[a-z0-9]+$/i.test(path)
    if (!wantsPage) return sendNotFound(request, reply)
    return sendPage(shell, request, reply)
  })
}

function sendPage(page: Page, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply
    .header('content-security-policy', page.policy)
    .header('cache-control', 'no-cache')
    .header('etag', page.etag)
    .type('text/html; charset=utf-8')
  return request.headers['if-none-match'] === page.etag ? reply.code(304).send() : reply.code(200).send(page.html)
}

function readPage(file: string, https: boolean): Page {
  const html = readFileSync(file)
  const scripts = [...html.toString().matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    (match) => match[1]!,
  )
  const hashes = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  const policy = Object.entries(contentPolicy(https, hashes)).map(([name, values]) => [name, ...values].join(' '))
  return {
    html,
    etag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`,
    policy: policy.join('; '),
  }
}
