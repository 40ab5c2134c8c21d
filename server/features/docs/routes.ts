import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamDocs } from '../../../scripts/docs/upstream-pages.ts'
import type { Deps } from '../../deps.ts'
import { pathOf } from '../../http/error-handler.ts'
import { escapeHtml } from '../../http/escape-html.ts'
import { brandPage } from '../shop/brand-page.ts'
import { perShop } from '../shop/serve-shop.ts'
import { isNamed, type Shop } from '../shop/shop.ts'
import { inlineStyles } from '../site/inline-styles.ts'
import { pagePolicy } from '../site/page-policy.ts'
import type { ToolSnapshot } from '../tools/registry.ts'
import { createApplicationTwins, type PlanTexts, type Twin } from './application-twins.ts'
import { createFillMarks, type FillMarks } from './fill-marks.ts'
import { hiddenPages } from './hidden-pages.ts'
import { prefersMarkdown } from './prefers-markdown.ts'
import { robots, sitemap } from './sitemap.ts'
import { type StoredDocument, sendDocument, storeDocument } from './stored-document.ts'
import { createUpstreamDocs } from './upstream-docs.ts'
import { createUpstreamPages } from './upstream-pages.ts'
import { withPlans, withPrices } from './with-plans.ts'
import { htmlWithoutLibraries, markdownWithoutLibraries, proseWithoutLibraries } from './without-libraries.ts'
import { type Without, withoutPages } from './without-pages.ts'

const docsDir = resolve(import.meta.dirname, '../../../dist/docs')
const webDir = resolve(import.meta.dirname, '../../../dist/web')

/** Monitors, link checkers and crawlers use HEAD; these texts are the same for everybody and change nothing. */
const alsoHead = { exposeHeadRoute: true }

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'

/** What documents depend on. */
interface State {
  /** What `docs` was made from. */
  made: UpstreamDocs
  docs: UpstreamDocs
  shop: Shop
  tools: ToolSnapshot
  /** Paths of the build that this shop does not serve. */
  hidden: ReadonlySet<string>
  without: Without
  fill: FillMarks
}

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
  const fillOf = perShop((shop) => createFillMarks(deps.config, shop))
  const read = (file: string) => readFileSync(join(docsDir, file), 'utf8')
  const twins = await createApplicationTwins(deps, fillOf)
  const builtins = paths.flatMap((path) => /^\/docs\/reference\/(\w+)$/.exec(path)?.[1] ?? [])
  const docsNow = createUpstreamDocs(deps)
  let latest: State | undefined
  /** The same object until the shop or the tools change. */
  const state = async (): Promise<State> => {
    const [docs, shop, tools] = [await docsNow(), deps.shop.current(), deps.tools.current()]
    if (latest?.made === docs && latest.shop === shop && latest.tools === tools) return latest
    const hidden = hiddenPages(shop, builtins, tools, deps.payments !== null)
    const without = withoutOf(shop, hidden)
    const clean: UpstreamDocs = {
      ...docs,
      markdown: (path) => without.markdown(docs.markdown(path)),
      full: () => without.full(docs.full()),
    }
    latest = { made: docs, docs: clean, shop, tools, hidden, without, fill: fillOf(shop) }
    return latest
  }

  /** By address. As routes of their own, about 240 of them, they would delay each start. */
  const pages = new Map<string, Send>()
  /** Serves a document that is made again whenever what it depends on has changed. */
  const serve = <T>(addresses: string[], current: () => Promise<T>, make: (of: T) => StoredDocument): Send => {
    let stored: { of: T; document: StoredDocument } | undefined
    const send: Send = async (request, reply) => {
      const path = pathOf(request).replace(/\.md$|\/$/, '')
      if ((await state()).hidden.has(path)) return callNotFound(reply)
      const of = await current()
      if (stored?.of !== of) stored = { of, document: make(of) }
      return sendDocument(stored.document, request, reply)
    }
    for (const address of addresses)
      if (address.startsWith('/docs/')) pages.set(address, send)
      else app.get(address, alsoHead, send)
    return send
  }
  const page = ({ fill, shop, without }: State, html: string, navigation: string, lines: readonly string[] = []) => {
    // Functions, because a `$` in a text would otherwise be read as a pattern.
    const whole = fill(withPlans(without.html(html), lines.map(escapeHtml)), 'html').replaceAll(
      '<div data-upstreams=""></div>',
      () => fill(navigation, 'html'),
    )
    const styled = inlineStyles(brandPage(whole, shop, deps.config.PUBLIC_URL), webDir, { font: 'at once' })
    return storeDocument(styled, HTML, pagePolicy(styled, deps.config))
  }
  /** A text of the build, with what upstreams add to it. */
  const text = (
    { docs, fill, without }: State,
    file: string,
    {
      pages = '',
      divider,
      clean = without.markdown,
      own = () => read(file),
    }: { pages?: string; divider?: string; clean?: (text: string) => string; own?: (() => string) | undefined } = {},
  ): string =>
    fill(withAdded(withAdded(clean(own()), OPERATIONS, docs.overview.markdown), PAGES, pages, divider), 'text')

  let both: { texts: PlanTexts; now: State } | undefined
  const currentOfBoth = async () => {
    const [texts, now] = await Promise.all([twins.current(), state()])
    if (both?.texts !== texts || both.now !== now) both = { texts, now }
    return both
  }

  /** The Markdown of each page. */
  const markdown = new Map<string, Send>()
  const servePage = <T>(
    path: string,
    current: () => Promise<T>,
    read: (of: T) => { now: State; lines?: readonly string[] },
  ) => {
    serve([path, `${path}/`], current, (of) => {
      const { now, lines } = read(of)
      return page(now, htmlOf(now.docs, path), now.docs.replaced.has(path) ? '' : now.docs.navigation(path), lines)
    })
    markdown.set(
      path,
      serve([`${path}.md`], current, (of) => {
        const { now, lines = [] } = read(of)
        const own = now.docs.replaced.has(path) ? () => now.docs.markdown(path) : undefined
        return storeDocument(withPlans(text(now, `${path}.md`, { own }), lines), MARKDOWN)
      }),
    )
  }
  const htmlOf = (docs: UpstreamDocs, path: string): string =>
    docs.replaced.has(path)
      ? docs.html(path)
      : read(`${path}.html`).replace(`<p>${OPERATIONS}</p>`, () => docs.overview.html)
  for (const path of paths)
    if (path === START) servePage(path, currentOfBoth, ({ now, texts }) => ({ now, lines: texts.lines }))
    else servePage(path, state, (now) => ({ now }))
  for (const end of ['', '/', '.md'])
    app.get(`/docs/quick-start${end}`, alsoHead, (_request, reply) => reply.redirect(START + end.replace('/', ''), 301))
  const sendUpstream = createUpstreamPages(state, (now, path) =>
    path.endsWith('.md')
      ? storeDocument(now.fill(now.docs.markdown(path.slice(0, -'.md'.length)), 'text'), MARKDOWN)
      : page(now, now.docs.html(path), ''),
  )
  app.get<{ Params: { '*': string } }>('/docs/*', alsoHead, (request, reply) => {
    const send = pages.get(`/docs/${request.params['*']}`)
    return send ? send(request, reply) : sendUpstream(pathOf(request).replace(/\/$/, ''), request, reply)
  })
  serve(['/docs/search.json'], state, ({ docs, fill, without }) =>
    storeDocument(
      fill(without.search(docs.search(read('docs/search.json'))), 'text'),
      'application/json; charset=utf-8',
    ),
  )
  serve(['/llms.txt'], currentOfBoth, ({ texts, now }) => {
    const whole = text(now, 'llms.txt', { pages: now.docs.index })
    return storeDocument(isNamed(now.shop) ? withPrices(whole, texts.lines) : whole, TEXT)
  })
  for (const path of twins.paths)
    markdown.set(
      path,
      serve([`${path}.md`], twins.current, (all) => storeDocument(textOf(all.twins, path), MARKDOWN)),
    )
  // Before the routes, because the application's pages have none.
  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request).replace(/(?<=.)\/$/, '')
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (!reads || !prefersMarkdown(request.headers.accept)) return
    const send = markdown.get(path)
    if (send) return send(request, reply)
    if ((await docsNow()).paths.includes(path)) return sendUpstream(`${path}.md`, request, reply)
  })
  serve(['/llms-full.txt'], currentOfBoth, ({ texts, now }) => {
    const clean = (full: string) => now.without.full(withOwnPages(full, now))
    const full = text(now, 'llms-full.txt', { pages: now.docs.full(), divider: DIVIDER, clean })
    const whole = twins.paths.reduce((made, path) => made.replace(`{{${path}}}`, () => textOf(texts.twins, path)), full)
    return storeDocument(withPlans(whole, texts.lines), TEXT)
  })
  serve(['/sitemap.xml'], state, ({ docs, hidden }) =>
    storeDocument(sitemap(deps.config.PUBLIC_URL, [...paths, ...docs.paths], hidden), 'application/xml; charset=utf-8'),
  )
  serve(
    ['/robots.txt'],
    async () => null,
    () => storeDocument(robots(deps.config.PUBLIC_URL), TEXT),
  )
}

/** The one page to start with. */
const START = '/docs/getting-started'
const DIVIDER = '\n\n---\n\n'

/** llms-full.txt with the pages that say something else here. */
const withOwnPages = (full: string, { docs, hidden }: State): string =>
  full
    .split(DIVIDER)
    .flatMap((page) => {
      const path = /^> Address: %ORIGIN%(\S+)/m.exec(page)?.[1]
      if (!path || !docs.replaced.has(path)) return [page]
      return hidden.has(path) ? [] : [docs.markdown(path).trimEnd()]
    })
    .join(DIVIDER)

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

/** Without hidden pages and, for a named shop, without the libraries of the software. */
function withoutOf(shop: Shop, hidden: ReadonlySet<string>): Without {
  if (!isNamed(shop)) return withoutPages(hidden)
  const pages = withoutPages(hidden, proseWithoutLibraries)
  return {
    ...pages,
    html: (text) => htmlWithoutLibraries(pages.html(text)),
    markdown: (text) => markdownWithoutLibraries(pages.markdown(text)),
    full: (text) => markdownWithoutLibraries(pages.full(text)),
  }
}

function callNotFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}

const textOf = (twins: readonly Twin[], path: string): string => twins.find((twin) => twin.path === path)!.text
