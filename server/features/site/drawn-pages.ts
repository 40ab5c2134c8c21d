import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Deps } from '../../deps.ts'
import { isNamed, type Shop } from '../shop/shop.ts'
import type { Banner } from '../switches/switches.ts'
import { faqOf } from './faq.ts'
import { inlineStyles } from './inline-styles.ts'
import type { LegalPages } from './legal-pages.ts'
import { loadDrawer, type PageData, type PageDrawer } from './page-drawer.ts'
import { pagePolicy } from './page-policy.ts'
import { createTemplate } from './page-template.ts'
import { publicDatasets } from './public-datasets.ts'
import { publicPlans } from './public-plans.ts'
import { webSettings } from './web-settings.ts'

/** A page, ready to be sent in each encoding. */
export interface DrawnPage {
  status: 200 | 404
  etag: string
  policy: string
  plain: Buffer
  br: Buffer
  gzip: Buffer
}

interface Kind {
  /** Pages with the same key are identical. */
  key: string
  status: 200 | 404
  session: PageData['session']
  description: string | null
  /** Null if no part of the page is prerendered. */
  drawAs: string | null
  sources: readonly string[]
  script: string | null
  legal: PageData['legal']
  canonical: boolean
}

/** How long a rendered page is reused; then it is rendered again, since prices may have changed. */
const FRESH_MS = 60_000
const SHOP_HOME = 'features/home/home-page.tsx'
/** Named shops do not advertise the software or its demonstration. */
const ofSoftware = ['/sell', '/demo']
/** Only where payments of agents are taken. */
const ofPayments = ['/claim']

/** Renders each page on first request, caches it, and renews it in the background. */
export function createDrawnPages(
  deps: Deps,
  webDir: string,
  legal: (shop: Shop) => LegalPages,
): (path: string) => Promise<DrawnPage> {
  const template = createTemplate(webDir)
  // A page under an earlier name or banner is never sent again, not even while the next one is rendered.
  const startParts = (shop: Shop, banner: Banner | null) => ({
    shop,
    banner,
    settings: webSettings(deps.config, shop, banner),
    kept: new Map<string, { page: Promise<DrawnPage>; drawnAt: number }>(),
  })
  type Parts = ReturnType<typeof startParts>
  let newest: Parts | undefined
  const parts = (): Parts => {
    const [shop, banner] = [deps.shop.current(), deps.switches.banner()]
    if (newest?.shop !== shop || newest.banner !== banner) newest = startParts(shop, banner)
    return newest
  }

  const draw = async (
    { shop, settings }: Parts,
    kind: Kind,
    path: string,
    drawer: PageDrawer | null,
  ): Promise<DrawnPage> => {
    // Asked for before anything is awaited: they are those of this shop.
    const [datasets, plans] = await Promise.all([
      kind.sources.includes(SHOP_HOME) ? publicDatasets(deps.market) : null,
      kind.session === 'visitor' ? publicPlans(deps) : null,
    ])
    const faq = kind.key === '/docs/faq' ? faqOf(shop) : null
    const data: PageData = { settings, session: kind.session, plans, legal: kind.legal, datasets, faq }
    const drawAs = async (address: string | null, from: PageData) => {
      if (address === null || !drawer) return null
      try {
        return await drawer.drawPage(address, from)
      } catch (error) {
        // The browser then renders the page: slower, with the same result.
        deps.log.error({ page: kind.key, error: (error as Error).message }, 'could not render a page')
        return null
      }
    }
    const drawn = await drawAs(kind.drawAs, data)
    const frame = kind.key === '/' ? await drawAs('/', { ...data, session: 'checking', plans: null }) : null
    const html = template({
      title: drawn?.title ?? shop.name,
      shop,
      description: kind.key === '/' && isNamed(shop) ? (shop.promise ?? shop.name) : kind.description,
      canonical: kind.canonical ? deps.config.PUBLIC_URL + path : null,
      twin: kind.canonical && /^\/(docs(\/|$)|sell$)/.test(path) ? `${deps.config.PUBLIC_URL}${path}.md` : null,
      root: drawn?.html ?? '',
      data,
      frame: frame?.html,
      sources: kind.sources,
      script: kind.script,
      frameSources: kind.key === '/' ? dashboardSources('/dashboard/') : [],
    })
    const font = kind.session === 'visitor' ? 'at once' : 'if fetched'
    return ready(inlineStyles(html, webDir, { font }), kind.status, deps.config)
  }

  return async (requested) => {
    const path = requested.replace(/\/+$/, '') || '/'
    const drawer = await loadDrawer(deps.log)
    const current = parts()
    const { shop, kept } = current
    const kind = kindOf(drawer, path, shop, legal(shop), deps.payments !== null)
    const known = kept.get(kind.key)
    if (known && Date.now() - known.drawnAt < FRESH_MS) return known.page
    const next = draw(current, kind, path, drawer)
    kept.set(kind.key, { page: known?.page ?? next, drawnAt: Date.now() })
    next.then(
      () => kept.set(kind.key, { page: next, drawnAt: Date.now() }),
      () => known ?? kept.delete(kind.key),
    )
    return known?.page ?? next
  }
}

const blank = {
  status: 200,
  session: 'visitor',
  drawAs: null,
  sources: [],
  script: null,
  legal: null,
  canonical: false,
} as const

/** Overview of a new account begins with the checklist. */
const dashboardSources = (routeId: string) => [
  'routes/dashboard.tsx',
  sourceOf(routeId),
  ...(routeId === '/dashboard/' ? ['features/overview/checklist.tsx'] : []),
]

function kindOf(drawer: PageDrawer | null, path: string, shop: Shop, legal: LegalPages, takesPayments: boolean): Kind {
  if (!drawer) return { ...blank, key: 'blank', description: null }
  const { routeId: matched, params, description, script } = drawer.matchPage(path)
  const isHidden =
    matched !== null &&
    ((ofSoftware.includes(matched) && isNamed(shop)) || (ofPayments.includes(matched) && !takesPayments))
  const routeId = isHidden ? null : matched
  const inDashboard = /^\/dashboard(\/|$)/.test(path)
  if (routeId === null)
    return {
      ...blank,
      key: inDashboard ? 'missing in dashboard' : 'missing',
      status: 404,
      session: inDashboard ? 'checking' : 'visitor',
      description: null,
      // The path is not part of the page, but it must not match a real route.
      drawAs: inDashboard ? '/dashboard/-' : '/-',
    }
  // Before the session is known the dashboard's frame is the same for everybody and every id.
  if (inDashboard)
    return {
      ...blank,
      key: routeId,
      session: 'checking',
      description: null,
      drawAs: path,
      script,
      sources: dashboardSources(routeId),
    }
  const installers = !isNamed(shop) && !shop.customers
  const home =
    routeId === '/' && installers
      ? ['features/sell/sell-page.tsx']
      : routeId === '/' || routeId === '/demo'
        ? [SHOP_HOME]
        : []
  const text = routeId === '/legal/$page' ? legal[params.page as keyof LegalPages] : null
  // Rendered under its own path: the browser's router also matches this route and shows that the text is missing.
  if (text === undefined)
    return {
      ...blank,
      key: 'missing legal',
      status: 404,
      description: null,
      drawAs: path,
      sources: [sourceOf(routeId)],
    }
  // Pages with ids, such as invitations, are not prerendered: there are as many as ids.
  if (description === null)
    return { ...blank, key: `blank ${routeId}`, description: null, sources: [sourceOf(routeId)] }
  return {
    ...blank,
    key: text ? `${routeId} ${text.page}` : routeId,
    description: routeId === '/' && !installers ? drawer.matchPage('/demo').description : description,
    drawAs: path,
    script,
    sources: [sourceOf(routeId), ...home],
    legal: text,
    canonical: routeId !== '/auth/login',
  }
}

/** The file of a route: `/docs/pricing` is routes/docs.pricing.tsx, `/docs/` is routes/docs.index.tsx. */
const sourceOf = (routeId: string): string =>
  `routes/${routeId === '/' ? 'index' : routeId.slice(1).replaceAll('/', '.').replace(/\.$/, '.index')}.tsx`

const brotli = promisify(brotliCompress)
const gz = promisify(gzip)

async function ready(html: string, status: 200 | 404, config: Deps['config']): Promise<DrawnPage> {
  const plain = Buffer.from(html)
  const [br, zipped] = await Promise.all([
    brotli(plain, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
    }),
    gz(plain, { level: 9 }),
  ])
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { status, etag, policy: pagePolicy(html, config), plain, br, gzip: zipped }
}
