import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { criticalStyles } from './critical-styles.ts'

const sheetLink = /\s*<link(?=[^>]*\srel="stylesheet")[^>]*\shref="(\/assets\/[^"]+\.css)"[^>]*>/g
const textFont = /url\("?(\/assets\/geist-latin[^")]+\.woff2)"?\)/

const sheets = new Map<string, string>()

/**
 * Lets a page paint as soon as its HTML arrives: the style rules that it uses are in its head, and its style sheets are
 * linked at its end, where they delay only the script. `preloadFont` is for pages of text, which need the font at once.
 */
export function inlineStyles(html: string, webDir: string, { preloadFont }: { preloadFont: boolean }): string {
  const links = [...html.matchAll(sheetLink)].map(([link, href]) => ({ link, href: href! }))
  if (links.length === 0) return html
  const css = links.map(({ href }) => sheet(webDir, href)).join('\n')
  const font = preloadFont ? textFont.exec(css)?.[1] : undefined
  const head = [
    `<style>${criticalStyles(css, html)}</style>`,
    font ? `<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>` : '',
  ].join('')
  const atEnd = links.map(({ link }) => link.trim()).join('')
  // Functions, because a `$` in a style sheet would otherwise be read as a pattern.
  return links
    .reduce((page, { link }, index) => page.replace(link, () => (index === 0 ? head : '')), html)
    .replace(/<\/body>(?![\s\S]*<\/body>)/, () => `${atEnd}</body>`)
}

/** Its name contains the hash of its content, so it never changes. */
function sheet(webDir: string, href: string): string {
  const text = sheets.get(href) ?? readFileSync(join(webDir, href), 'utf8')
  sheets.set(href, text)
  return text
}
