import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamDocs } from '../../../scripts/docs/upstream-pages.ts'
import type { Deps } from '../../deps.ts'
import { pathOf } from '../../http/error-handler.ts'
import { inlineStyles } from '../site/inline-styles.ts'
import { pagePolicy } from '../site/page-policy.ts'
import { createApplicationTwins, type Twin } from './application-twins.ts'
import { createFillMarks } from './fill-marks.ts'
import { prefersMarkdown } from './prefers-markdown.ts'
import { robots, sitemap } from './sitemap.ts'
import { type StoredDocument, sendDocument, storeDocument } from './stored-document.ts'
import { createUpstreamDocs } from './upstream-docs.ts'
import { serveUpstreamPages } from './upstream-pages.ts'

const docsDir = resolve(import.meta.dirname, '../../../dist/docs')
const webDir = resolve(import.meta.dirname, '../../../dist/web')

/** Monitors, link checkers and crawlers use HEAD; these texts are the same for everybody and change nothing. */
const alsoHead = { exposeHeadRoute: true }

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'

type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>

/**
 * Serves the documentation written by `scripts/build-docs.ts`, and the pages of upstreams: each with and without a trailing slash and as
 * Markdown, by `.md` or the Accept header, the search index, llms.txt, sitemap and robots. A document is filled in and compressed on
 * first request, then cached until the upstreams change.
 */
export async function registerDocs(app: FastifyInstance, deps: Deps): Promise<void> {
  const list = join(docsDir, 'pages.json')
  if (!existsSync(list)) return
  const paths = JSON.parse(readFileSync(list, 'utf8')) as string[]
  const fill = createFillMarks(deps.config)
  const read = (file: string) => readFileSync(join(docsDir, file), 'utf8')
  const upstreams = createUpstreamDocs(deps.tools)
  const twins = await createApplicationTwins(deps, fill)

  /** Serves a document that is made again whenever what it depends on has changed. */
  const serve = <T>(addresses: string[], current: () => Promise<T>, make: (of: T) => StoredDocument): Send => {
    let stored: { of: T; document: StoredDocument } | undefined
    const send: Send = async (request, reply) => {
      const of = await current()
      if (stored?.of !== of) stored = { of, document: make(of) }
      return sendDocument(stored.document, request, reply)
    }
    for (const address of addresses) app.get(address, alsoHead, send)
    return send
  }
  const page = (html: string, navigation: string): StoredDocument => {
    // Functions, because a `$` in a text would otherwise be read as a pattern.
    const whole = fill(html, 'html').replaceAll('<div data-upstreams=""></div>', () => fill(navigation, 'html'))
    const styled = inlineStyles(whole, webDir, { preloadFont: true })
    return storeDocument(styled, HTML, pagePolicy(styled, deps.config))
  }
  /** A text of the build, with what upstreams add to it. */
  const text = (file: string, docs: UpstreamDocs, pages = '', divider?: string): string =>
    fill(withAdded(withAdded(read(file), OPERATIONS, docs.overview.markdown), PAGES, pages, divider), 'text')

  /** The Markdown of each page. */
  const markdown = new Map<string, Send>()
  for (const path of paths) {
    serve([path, `${path}/`], upstreams, (docs) => {
      const html = read(`${path}.html`).replace(`<p>${OPERATIONS}</p>`, () => docs.overview.html)
      return page(html, docs.navigation(path))
    })
    markdown.set(
      path,
      serve([`${path}.md`], upstreams, (docs) => storeDocument(text(`${path}.md`, docs), MARKDOWN)),
    )
  }
  const sendUpstream = serveUpstreamPages(app, upstreams, (docs, path) =>
    path.endsWith('.md')
      ? storeDocument(fill(docs.markdown(path.slice(0, -'.md'.length)), 'text'), MARKDOWN)
      : page(docs.html(path), ''),
  )
  serve(['/docs/search.json'], upstreams, (docs) =>
    storeDocument(fill(docs.search(read('docs/search.json')), 'text'), 'application/json; charset=utf-8'),
  )
  serve(['/llms.txt'], upstreams, (docs) => storeDocument(text('llms.txt', docs, docs.index), TEXT))
  for (const path of twins.paths)
    markdown.set(
      path,
      serve([`${path}.md`], twins.current, (all) => storeDocument(textOf(all, path), MARKDOWN)),
    )
  // Before the routes, because the application's pages have none.
  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request).replace(/(?<=.)\/$/, '')
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (!reads || !prefersMarkdown(request.headers.accept)) return
    const send = markdown.get(path)
    if (send) return send(request, reply)
    if ((await upstreams()).paths.includes(path)) return sendUpstream(`${path}.md`, request, reply)
  })
  let both: { twins: readonly Twin[]; docs: UpstreamDocs } | undefined
  const currentOfBoth = async () => {
    const [all, docs] = await Promise.all([twins.current(), upstreams()])
    if (both?.twins !== all || both.docs !== docs) both = { twins: all, docs }
    return both
  }
  serve(['/llms-full.txt'], currentOfBoth, ({ twins: all, docs }) => {
    const full = text('llms-full.txt', docs, docs.full(), '\n\n---\n\n')
    const whole = twins.paths.reduce((made, path) => made.replace(`{{${path}}}`, () => textOf(all, path)), full)
    return storeDocument(whole, TEXT)
  })
  serve(['/sitemap.xml'], upstreams, (docs) =>
    storeDocument(sitemap(deps.config.PUBLIC_URL, [...paths, ...docs.paths]), 'application/xml; charset=utf-8'),
  )
  serve(
    ['/robots.txt'],
    async () => null,
    () => storeDocument(robots(deps.config.PUBLIC_URL), TEXT),
  )
}

/** Where the build leaves room for the pages of upstreams, and for the list of their operations. */
const PAGES = '{{upstreams}}'
const OPERATIONS = '{{upstream-operations}}'

/** The build's text with what upstreams add, or without the placeholder and what divides it from the text before. */
function withAdded(text: string, placeholder: string, added: string, divider = '\n\n'): string {
  const end = text.indexOf(placeholder)
  if (end === -1) return text
  const before = text.slice(0, end).replace(/(\n+---)?\n+$/, '')
  return before + (added && divider + added) + text.slice(end + placeholder.length)
}

const textOf = (twins: readonly Twin[], path: string): string => twins.find((twin) => twin.path === path)!.text
