import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { describeUpstreams, Site, Template, UpstreamDocs } from '../../../scripts/docs/upstream-pages.ts'
import type { Deps } from '../../deps.ts'
import type { MarketData } from '../market-data/market-data.ts'
import { isNamed, type Shop } from '../shop/shop.ts'
import type { ToolSnapshot } from '../tools/registry.ts'
import { DataLease, withData } from '../tools/rows/not-in-memory.ts'
import { sellsTables, unsoldGuides } from './hidden-pages.ts'

const distDir = resolve(import.meta.dirname, '../../../dist')

const none: UpstreamDocs = {
  paths: [],
  replaced: new Set(),
  html: () => '',
  markdown: () => '',
  navigation: () => '',
  search: (index) => index,
  index: '',
  full: () => '',
  overview: { html: '', markdown: '' },
}

/**
 * What the documentation says that only this server knows: of upstreams, and of a shop without the tools or the data that come with the
 * product. The same object until the shop, the tools or the data change. The code that writes it is loaded when it is first needed.
 */
export function createUpstreamDocs({
  config,
  market,
  shop,
  tools,
}: Pick<Deps, 'config' | 'market' | 'shop' | 'tools'>) {
  const hasDemoKey = config.DEMO_KEY === 'on' && config.DEMO_PRICES === 'on'
  let loaded: ReturnType<typeof loadWriter> | undefined
  const write = async (shop: Shop, tools: ToolSnapshot, whole: MarketData): Promise<UpstreamDocs> => {
    const { all, get } = tools
    const isWhole = shop.builtins === 'on'
    const selling = {
      market: sellsTables({ get }),
      examples: get('add') !== undefined,
      data: isWhole,
      demo: hasDemoKey && isWhole,
      named: isNamed(shop),
      without: unsoldGuides(tools),
    }
    const hasUpstreams = all.some(({ tool }) => tool.upstream && tool.rest)
    if (!(hasUpstreams || selling.named || !selling.demo) || !existsSync(join(distDir, 'docs/site.json'))) return none
    loaded ??= loadWriter()
    const { writer, site, template } = await loaded
    const lease = new DataLease()
    const installed = { whole, open: await market.of(NOBODY), load: <T>(work: () => T) => withData(work, lease) }
    return writer.describeUpstreams(all, selling, site, template, installed).finally(() => lease.release())
  }
  let kept: { of: Parameters<typeof write>; docs: Promise<UpstreamDocs> } | undefined
  return (): Promise<UpstreamDocs> => {
    const of: Parameters<typeof write> = [shop.current(), tools.current(), market.current]
    if (!kept?.of.every((one, index) => one === of[index])) kept = { of, docs: write(...of) }
    return kept.docs
  }
}

/** An account that does not exist: it sees what may be shown to anybody. */
const NOBODY = { accountId: -1 }

/** Built by `scripts/build-docs.ts`. */
async function loadWriter() {
  const bundle = (name: string) => import(pathToFileURL(join(distDir, 'docs-template', name)).href)
  const writer: { describeUpstreams: typeof describeUpstreams } = await bundle('upstream-pages.js')
  const template: Template = await bundle('render.js')
  const site: Site = JSON.parse(readFileSync(join(distDir, 'docs/site.json'), 'utf8'))
  return { writer, template, site }
}
