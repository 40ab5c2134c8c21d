import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { describeUpstreams, Site, Template, UpstreamDocs } from '../../../scripts/docs/upstream-pages.ts'
import { perSnapshot, type ToolRegistry } from '../tools/registry.ts'

const distDir = resolve(import.meta.dirname, '../../../dist')

const none: UpstreamDocs = {
  paths: [],
  html: () => '',
  markdown: () => '',
  navigation: () => '',
  search: (index) => index,
  index: '',
  full: () => '',
  overview: { html: '', markdown: '' },
}

/**
 * What the documentation says of the upstreams that are served now: the same object until they change. The code that writes it is
 * loaded when the first upstream is served.
 */
export function createUpstreamDocs(tools: ToolRegistry): () => Promise<UpstreamDocs> {
  let loaded: ReturnType<typeof load> | undefined
  const docsOf = perSnapshot(async ({ all }): Promise<UpstreamDocs> => {
    const entries = all.filter(({ tool }) => tool.upstream && tool.rest)
    if (entries.length === 0 || !existsSync(join(distDir, 'docs/site.json'))) return none
    loaded ??= load()
    const { writer, site, template } = await loaded
    return writer.describeUpstreams(entries, site, template)
  })
  return () => docsOf(tools.current())
}

/** Built by `scripts/build-docs.ts`. */
async function load() {
  const bundle = (name: string) => import(pathToFileURL(join(distDir, 'docs-template', name)).href)
  const writer: { describeUpstreams: typeof describeUpstreams } = await bundle('upstream-pages.js')
  const template: Template = await bundle('render.js')
  const site: Site = JSON.parse(readFileSync(join(distDir, 'docs/site.json'), 'utf8'))
  return { writer, template, site }
}
