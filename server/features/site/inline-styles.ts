import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { criticalStyles } from './critical-styles.ts'

const sheetLink = /\s*<link(?=[^>]*\srel="stylesheet")[^>]*\shref="(\/assets\/[^"]+\.css)"[^>]*>/g
const textFont = /url\("?(\/assets\/geist-latin[^")]+\.woff2)"?\)/

const sheets = new Map<string, string>()

/**
 * Lets a page paint as soon as its HTML arrives: the style rules that it uses are in its head, and its style sheets are
 * linked at its end, where they delay only the script. Pages of text need the font at once; those of the dashboard (`if fetched`) only take it
 * from the browser's cache (web/lib/fetch-font.ts). A browser waits some milliseconds with the first paint for a font that is preloaded;
 * others may come just after it, and move the text.
 */
export function inlineStyles(html: string, webDir: string, { font }: { font: 'at once' | 'if fetched' }): string {
  const links = [...html.matchAll(sheetLink)].map(([link, href]) => ({ link, href: href! }))
  if (links.length === 0) return html
  const css = links.map(({ href }) => sheet(webDir, href)).join('\n')
  const fontUrl = textFont.exec(css)?.[1]
  const preload = fontUrl ? `<link rel="preload" href="${fontUrl}" as="font" type="font/woff2" crossorigin>` : ''
  const head = `<style>${criticalStyles(css, html)}</style>${font === 'at once' ? preload : ifFetched(preload)}`
  const atEnd = links.map(({ link }) => link.trim()).join('')
  // Functions, because a `$` in a style sheet would otherwise be read as a pattern.
  return links
    .reduce((page, { link }, index) => page.replace(link, () => (index === 0 ? head : '')), html)
    .replace(/<\/body>(?![\s\S]*<\/body>)/, () => `${atEnd}</body>`)
}

const ifFetched = (link: string): string =>
  `<script>try{if(localStorage.getItem('finmeter.font'))document.head.insertAdjacentHTML('beforeend',${JSON.stringify(link)})}catch{}</script>`

/** Its name contains the hash of its content, so it never changes. */
function sheet(webDir: string, href: string): string {
  const text = sheets.get(href) ?? readFileSync(join(webDir, href), 'utf8')
  sheets.set(href, text)
  return text
}
