import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { describeUpstreams, Site, Template, UpstreamDocs } from '../../../scripts/docs/upstream-pages.ts'
import type { Deps } from '../../deps.ts'
import { perShop } from '../shop/serve-shop.ts'
import { perSnapshot } from '../tools/registry.ts'
import { forTables, sellsTables } from './hidden-pages.ts'

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
 * What the documentation says that only this server knows: of upstreams, and of a shop without the tools that come with the product.
 * The same object until the shop or the tools change. The code that writes it is loaded when it is first needed.
 */
export function createUpstreamDocs({ config, shop, tools }: Pick<Deps, 'config' | 'shop' | 'tools'>) {
  const hasDemoKey = config.DEMO_KEY === 'on' && config.DEMO_PRICES === 'on'
  let loaded: ReturnType<typeof load> | undefined
  const docsOf = perShop(({ builtins }) =>
    perSnapshot(async ({ all, get }): Promise<UpstreamDocs> => {
      const isWhole = builtins === 'on'
      const sold = {
        market: sellsTables({ get }),
        examples: get('add') !== undefined,
        data: isWhole,
        demo: hasDemoKey && isWhole,
        without: sellsTables({ get }) ? [] : forTables,
      }
      const hasUpstreams = all.some(({ tool }) => tool.upstream && tool.rest)
      if (!(hasUpstreams || !sold.demo) || !existsSync(join(distDir, 'docs/site.json'))) return none
      loaded ??= load()
      const { writer, site, template } = await loaded
      return writer.describeUpstreams(all, sold, site, template)
    }),
  )
  return (): Promise<UpstreamDocs> => docsOf(shop.current())(tools.current())
}

/** Built by `scripts/build-docs.ts`. */
async function load() {
  const bundle = (name: string) => import(pathToFileURL(join(distDir, 'docs-template', name)).href)
  const writer: { describeUpstreams: typeof describeUpstreams } = await bundle('upstream-pages.js')
  const template: Template = await bundle('render.js')
  const site: Site = JSON.parse(readFileSync(join(distDir, 'docs/site.json'), 'utf8'))
  return { writer, template, site }
}
