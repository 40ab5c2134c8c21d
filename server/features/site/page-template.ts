import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeHtml } from '../../http/escape-html.ts'
import { brandPage } from '../shop/brand-page.ts'
import type { Shop } from '../shop/shop.ts'
import type { PageData } from './page-drawer.ts'

interface Chunk {
  file: string
  imports?: string[]
}

export interface PageParts {
  title: string
  shop: Shop
  /** Null if search engines must not list the page. */
  description: string | null
  /** Canonical absolute URL of the page; null: none. */
  canonical: string | null
  /** Absolute URL of the page as Markdown; null: none. */
  twin: string | null
  root: string
  data: PageData
  /** The dashboard's frame, shown instead of `root` where a session is stored. */
  frame?: string | undefined
  /** Source files of code that the page needs besides the entry. */
  sources: readonly string[]
  /** Runs in the page's head; null: none. */
  script: string | null
  /** Source files of code that the frame needs. */
  frameSources: readonly string[]
}

const rootElement = '<div id="root"></div>'
const titleElement = '<title>Finmeter</title>'
const descriptionElement = /<meta name="description" content="[^"]*" \/>/

/** Runs while the page loads, before its first paint. */
const showFrame = (preloads: string[]) =>
  `if(document.documentElement.dataset.session){const root=document.getElementById('root');root.replaceChildren(document.getElementById('frame').content);root.dataset.drawnFor='checking';document.head.insertAdjacentHTML('beforeend',${JSON.stringify(preloads.join(''))})}`

/** Fills the built index.html. Throws at once when one of its placeholders is missing. */
export function createTemplate(webDir: string): (parts: PageParts) => string {
  const index = readFileSync(join(webDir, 'index.html'), 'utf8')
  for (const place of [rootElement, titleElement])
    if (!index.includes(place)) throw new Error(`web/index.html has lost ${place}`)
  if (!descriptionElement.test(index)) throw new Error('web/index.html has lost its description')
  const preloads = chunkPreloads(webDir)
  const links = (sources: readonly string[]) =>
    sources.flatMap(preloads).filter((link, at, all) => all.indexOf(link) === at && !index.includes(link))
  return (parts) => {
    const head = [
      `<title>${escapeHtml(parts.title)}</title>`,
      parts.canonical ? `<link rel="canonical" href="${escapeHtml(parts.canonical)}" />` : '',
      parts.twin ? `<link rel="alternate" type="text/markdown" href="${escapeHtml(parts.twin)}" />` : '',
      parts.description === null ? '<meta name="robots" content="noindex" />' : '',
      ...links(parts.sources),
      parts.script === null ? '' : `<script>${parts.script}</script>`,
      parts.canonical && parts.description ? preview(parts.shop, parts.title, parts.description, parts.canonical) : '',
    ].join('')
    const body = [
      `<div id="root">${parts.root}</div>`,
      parts.frame === undefined
        ? ''
        : `<template id="frame">${parts.frame}</template><script>${showFrame(links(parts.frameSources))}</script>`,
      // '<' is escaped, so that no text in it can end the element.
      `<script type="application/json" id="initial-data">${JSON.stringify(parts.data).replaceAll('<', '\\u003c')}</script>`,
    ].join('')
    // Functions, because a `$` in a page would otherwise be read as a pattern.
    const page = index
      .replace(titleElement, () => head)
      .replace(descriptionElement, (found) =>
        parts.description === null
          ? ''
          : found.replace(/content="[^"]*"/, () => `content="${escapeHtml(parts.description ?? '')}"`),
      )
      .replace(rootElement, () => body)
    return brandPage(page, parts.shop, parts.data.settings.publicUrl)
  }
}

/** What a chat or a feed shows for a link to the page. */
const preview = ({ name }: Shop, title: string, description: string, address: string) =>
  [
    ['type', 'website'],
    ['site_name', name],
    ['title', title.endsWith(` · ${name}`) ? title.slice(0, -` · ${name}`.length) : title],
    ['description', description],
    ['url', address],
    ['image', new URL('/preview.png', address).href],
    ['image:width', '1200'],
    ['image:height', '630'],
    ['image:alt', 'Finmeter: financial data by the call, over REST and MCP'],
  ]
    .map(([name, content]) => `<meta property="og:${name}" content="${escapeHtml(content!)}" />`)
    .concat('<meta name="twitter:card" content="summary_large_image" />')
    .join('')

/** Links that load the code of a source file, with its imports, while the page is still being parsed. */
function chunkPreloads(webDir: string): (source: string) => string[] {
  const file = join(webDir, '.vite/manifest.json')
  const manifest = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Chunk>) : {}
  const collect = (key: string, found: Set<string>) => {
    const chunk = manifest[key]
    if (!chunk || found.has(chunk.file)) return found
    found.add(chunk.file)
    for (const next of chunk.imports ?? []) collect(next, found)
    return found
  }
  return (source) => {
    const found = new Set<string>()
    for (const key of Object.keys(manifest)) if (key === source || key.startsWith(`${source}?`)) collect(key, found)
    return [...found].map((path) => `<link rel="modulepreload" crossorigin href="/${path}" />`)
  }
}
