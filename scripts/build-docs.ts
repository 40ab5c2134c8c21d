/**
 * Writes the documentation to dist/docs: each page as HTML and as Markdown, the search index, llms.txt and the list of
 * pages. The installation's URLs are placeholders (`%ORIGIN%`) that the server fills in. Run it after the web build.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { applicationPages } from '../web/application-pages.ts'
import type { DocsAssets, DocsPage } from '../web/docs/page.ts'
import { allPages } from './docs/all-pages.ts'
import { callOf, columnsOf } from './docs/columns.ts'
import { createCodeColoring } from './docs/highlight.ts'
import { llmsFull, llmsIndex, twinOf } from './docs/language-models.ts'
import { renderMarkdown } from './docs/markdown.ts'
import { productOperation } from './docs/product-operation.ts'
import { searchIndex } from './docs/sections.ts'
import type { Site } from './docs/upstream-pages.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const webDir = join(root, 'web')
const outDir = join(root, 'dist', 'docs')

type Render = (page: DocsPage, pages: DocsPage[], assets: DocsAssets) => string

export async function buildDocs(): Promise<number> {
  await buildClient()
  const [{ landing, pages: sources, guides, first }, color, render] = await Promise.all([
    allPages(),
    createCodeColoring(),
    buildTemplate(),
  ])
  const assets = readAssets()
  const pages = sources.map(({ markdown, call, ...page }): DocsPage => {
    const rendered = renderMarkdown(markdown, color, productOperation)
    return { ...page, ...rendered, call: call && { form: call, columns: columnsOf(rendered.html) } }
  })
  const { markdown, call: _, ...about } = landing
  const { html, headings } = renderMarkdown(markdown, color, productOperation)
  checkLinks([...pages, { ...about, html, headings }])
  rmSync(outDir, { recursive: true, force: true })
  const write = (path: string, text: string) => {
    const file = join(outDir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const page of pages) write(`${page.path}.html`, render(page, pages, assets))
  write('/docs.html', render({ ...about, html, headings: [], landing: callOf(html) }, pages, assets))
  for (const source of [landing, ...sources]) write(`${source.path}.md`, twinOf(source, productOperation))
  write('docs/search.json', searchIndex(sources, [...applicationPages.map(searched)]))
  const start = [landing, ...applicationPages].map((page) => ({ ...page, group: 'Start here' }))
  write('llms.txt', llmsIndex([...start, ...sources]))
  write('llms-full.txt', llmsFull([...applicationPages], [landing, ...sources], productOperation))
  write('pages.json', JSON.stringify([landing, ...pages].map(({ path }) => path)))
  const listed = sources.filter(({ group }) => group !== null)
  const site: Site = { pages: listed.map(({ call, markdown, names, ...about }) => about), guides, first, assets }
  write('site.json', JSON.stringify(site))
  return pages.length
}

/** An application page as search indexes it, without plans, which differ by installation. */
const searched = ({ write, ...about }: (typeof applicationPages)[number]) => ({ ...about, markdown: write([]) })

/** Builds the script of the docs pages separately from the application, whose chunks it would otherwise split. */
async function buildClient(): Promise<void> {
  const { build } = await import('vite')
  await build({
    configFile: false,
    root: webDir,
    logLevel: 'warn',
    build: {
      outDir: join(root, 'dist', 'web'),
      emptyOutDir: false,
      manifest: '.vite/docs.json',
      rollupOptions: { input: join(webDir, 'docs/client.ts') },
      // As in vite.config.ts: an older target would rewrite light-dark().
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  })
}

/**
 * The template is written in React, so Vite bundles it into a module that Node can load, together with the code that the server
 * runs: it writes the application's pages as Markdown, and the pages of upstreams' tools.
 */
async function buildTemplate(): Promise<Render> {
  const { build } = await import('vite')
  const templateDir = join(root, 'dist', 'docs-template')
  await build({
    configFile: false,
    root: webDir,
    logLevel: 'warn',
    build: {
      ssr: true,
      rollupOptions: {
        input: ['web/docs/render.tsx', 'web/application-pages.ts', 'scripts/docs/upstream-pages.ts'].map((file) =>
          join(root, file),
        ),
      },
      outDir: templateDir,
      emptyOutDir: true,
      copyPublicDir: false,
    },
    ssr: { noExternal: true },
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  })
  const module = (await import(pathToFileURL(join(templateDir, 'render.js')).href)) as { renderDocsPage: Render }
  return module.renderDocsPage
}

interface Chunk {
  file: string
  css?: string[]
  imports?: string[]
}

type Manifest = Record<string, Chunk>

const readManifest = (name: string) => JSON.parse(readFileSync(join(root, 'dist/web/.vite', name), 'utf8')) as Manifest

/** The application's style sheet, and the docs script with its imports and its own style sheet. */
function readAssets(): DocsAssets {
  const [client, ...imports] = staticGraph(readManifest('docs.json'), 'docs/client.ts')
  const application = staticGraph(readManifest('manifest.json'), 'index.html')
  const styles = [...application, client!].flatMap(({ css }) => css ?? [])
  return {
    script: `/${client!.file}`,
    styles: [...new Set(styles)].map((file) => `/${file}`),
    preloads: imports.map(({ file }) => `/${file}`),
  }
}

/** A chunk followed by everything that it imports statically. */
function staticGraph(manifest: Manifest, key: string, seen = new Set<Chunk>()): Chunk[] {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`${key} is not in Vite's manifest`)
  if (seen.has(chunk)) return []
  seen.add(chunk)
  return [chunk, ...(chunk.imports ?? []).flatMap((next) => staticGraph(manifest, next, seen))]
}

/** Application pages that the documentation may link to. */
const applicationPaths =
  /^\/(|login|sell|openapi\.json|llms(-full)?\.txt|docs|docs\/(pricing|faq)|legal\/(privacy|terms)|dashboard(\/.*)?)$/

/** Throws when a page links to a page or heading that does not exist. */
function checkLinks(pages: DocsPage[]): void {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  for (const { path, html } of pages) {
    for (const [, href] of html.matchAll(/href="([^"]*)"/g)) {
      if (!href || /^(https?:|mailto:|%)/.test(href)) continue
      const [target = '', fragment] = href.split('#')
      const page = target === '' ? byPath.get(path) : byPath.get(target)
      if (!page && !applicationPaths.test(target)) throw new Error(`${path} links to ${href}, which does not exist`)
      if (page && fragment && !page.html.includes(`id="${fragment}"`))
        throw new Error(`${path} links to ${href}: there is no such heading`)
    }
  }
}

if (import.meta.main) console.log(`${await buildDocs()} pages written to dist/docs.`)
