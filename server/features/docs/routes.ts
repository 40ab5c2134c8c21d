import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { pathOf } from '../../http/error-handler.ts'
import { inlineStyles } from '../site/inline-styles.ts'
import { pagePolicy } from '../site/page-policy.ts'
import { type ApplicationTwins, createApplicationTwins, type Twin } from './application-twins.ts'
import { createFillMarks } from './fill-marks.ts'
import { prefersMarkdown } from './prefers-markdown.ts'
import { robots, sitemap } from './sitemap.ts'
import { type StoredDocument, sendDocument, storeDocument } from './stored-document.ts'

const docsDir = resolve(import.meta.dirname, '../../../dist/docs')
const webDir = resolve(import.meta.dirname, '../../../dist/web')

/** Monitors, link checkers and crawlers use HEAD; these texts are the same for everybody and change nothing. */
const alsoHead = { exposeHeadRoute: true }

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'

/**
 * Serves the documentation written by `scripts/build-docs.ts`: each page with and without a trailing slash and as
 * Markdown, by `.md` or the Accept header, the search index, llms.txt, sitemap and robots. A document is filled in and compressed on first request,
 * then cached.
 */
export async function registerDocs(app: FastifyInstance, deps: Deps): Promise<void> {
  const list = join(docsDir, 'pages.json')
  if (!existsSync(list)) return
  const paths = JSON.parse(readFileSync(list, 'utf8')) as string[]
  const fill = createFillMarks(deps.config)
  const read = (file: string) => readFileSync(join(docsDir, file), 'utf8')

  const serve = (addresses: string[], make: () => StoredDocument): Send => {
    let stored: StoredDocument | undefined
    const send: Send = (request, reply) => {
      stored ??= make()
      return sendDocument(stored, request, reply)
    }
    for (const address of addresses) app.get(address, alsoHead, send)
    return send
  }
  /** The Markdown of each page. */
  const markdown = new Map<string, Send>()
  for (const path of paths) {
    serve([path, `${path}/`], () => {
      const html = inlineStyles(fill(read(`${path}.html`), 'html'), webDir, { preloadFont: true })
      return storeDocument(html, HTML, pagePolicy(html, deps.config))
    })
    markdown.set(
      path,
      serve([`${path}.md`], () => storeDocument(fill(read(`${path}.md`), 'text'), MARKDOWN)),
    )
  }
  serve(['/docs/search.json'], () =>
    storeDocument(fill(read('docs/search.json'), 'text'), 'application/json; charset=utf-8'),
  )
  serve(['/llms.txt'], () => storeDocument(fill(read('llms.txt'), 'text'), TEXT))
  const twins = await createApplicationTwins(deps, fill)
  for (const path of twins.paths)
    markdown.set(
      path,
      serveTwins(app, `${path}.md`, twins, (all) => storeDocument(textOf(all, path), MARKDOWN)),
    )
  // Before the routes, because the application's pages have none.
  app.addHook('onRequest', async (request, reply) => {
    const send = markdown.get(pathOf(request).replace(/(?<=.)\/$/, ''))
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (send && reads && prefersMarkdown(request.headers.accept)) return send(request, reply)
  })
  serveTwins(app, '/llms-full.txt', twins, (all) => {
    const full = fill(read('llms-full.txt'), 'text')
    // A function, because a `$` in a price would otherwise be read as a pattern.
    const whole = twins.paths.reduce((text, path) => text.replace(`{{${path}}}`, () => textOf(all, path)), full)
    return storeDocument(whole, TEXT)
  })
  serve(['/sitemap.xml'], () => storeDocument(sitemap(deps.config.PUBLIC_URL, paths), 'application/xml; charset=utf-8'))
  serve(['/robots.txt'], () => storeDocument(robots(deps.config.PUBLIC_URL), TEXT))
}

const textOf = (twins: readonly Twin[], path: string): string => twins.find((twin) => twin.path === path)!.text

type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>

/** Serves a document that is rebuilt whenever the application pages' Markdown has changed. */
function serveTwins(
  app: FastifyInstance,
  address: string,
  { current }: ApplicationTwins,
  make: (twins: readonly Twin[]) => StoredDocument,
): Send {
  let stored: { of: readonly Twin[]; document: StoredDocument } | undefined
  const send: Send = async (request, reply) => {
    const twins = await current()
    if (stored?.of !== twins) stored = { of: twins, document: make(twins) }
    return sendDocument(stored.document, request, reply)
  }
  app.get(address, alsoHead, send)
  return send
}
