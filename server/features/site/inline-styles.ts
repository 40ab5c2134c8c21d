import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { criticalStyles } from './critical-styles.ts'

const sheetLink = /\s*<link(?=[^>]*\srel="stylesheet")[^>]*\shref="(\/assets\/[^"]+\.css)"[^>]*>/g
const textFont = /url\("?(\/assets\/geist-latin[^")]+\.woff2)"?\)/

const sheets = new Map<string, string>()

/**
 * Lets a page paint as soon as its HTML arrives: the style rules that it uses are in its head, and its style sheets are
 * linked at its end, where they delay only the script. Pages of text need the font at once; those of the dashboard take it from the browser's
 * cache, if it comes before the first paint.
 */
export function inlineStyles(html: string, webDir: string, { font }: { font: 'at once' | 'if fetched' }): string {
  const links = [...html.matchAll(sheetLink)].map(([link, href]) => ({ link, href: href! }))
  if (links.length === 0) return html
  const css = links.map(({ href }) => sheet(webDir, href)).join('\n')
  const fontUrl = textFont.exec(css)?.[1]
  const preload = fontUrl ? `<link rel="preload" href="${fontUrl}" as="font" type="font/woff2" crossorigin>` : ''
  const head = `<style>${criticalStyles(css, html)}</style>${font === 'at once' ? preload : `<script>(${useFetched})(${JSON.stringify(preload)})</script>`}`
  const atEnd = links.map(({ link }) => link.trim()).join('')
  // Functions, because a `$` in a style sheet would otherwise be read as a pattern.
  return links
    .reduce((page, { link }, index) => page.replace(link, () => (index === 0 ? head : '')), html)
    .replace(/<\/body>(?![\s\S]*<\/body>)/, () => `${atEnd}</body>`)
}

/**
 * Decides before the first paint whether a page has the text font: a browser may exchange it within 100 ms after that paint, which moves the
 * page. Serialized as text, so it can use only its argument. The names are those of web/lib/fetch-font.ts.
 */
function useFetched(preload: string): void {
  try {
    if (!localStorage.getItem('finmeter.font')) return
    const { head, documentElement, fonts } = document
    documentElement.dataset.font = 'later'
    head.insertAdjacentHTML('beforeend', preload)
    let come = false
    fonts.load('1em "Geist Variable"').then(
      () => {
        come = true
      },
      () => {},
    )
    const decide = () => {
      if (!document.getElementById('root')?.hasChildNodes()) requestAnimationFrame(decide)
      else if (come) delete documentElement.dataset.font
    }
    requestAnimationFrame(decide)
  } catch {
    // Without storage, the page keeps the font that the browser finds.
  }
}

/** Its name contains the hash of its content, so it never changes. */
function sheet(webDir: string, href: string): string {
  const text = sheets.get(href) ?? readFileSync(join(webDir, href), 'utf8')
  sheets.set(href, text)
  return text
}
