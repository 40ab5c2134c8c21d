import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Marked } from 'marked'
import type { LegalPage } from '#contract/site.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError } from '../../config/config.ts'
import { escapeHtml } from '../../http/escape-html.ts'
import { isNamed, type Shop } from '../shop/shop.ts'

export type LegalPages = Record<'privacy' | 'terms', LegalPage> & { imprint?: LegalPage }

const delivered = (name: string) => join(import.meta.dirname, 'legal', name)

/**
 * Privacy policy and terms as HTML, from the operator's Markdown files or the defaults. Read once at startup: throws
 * ConfigError when a file cannot be read, so that no installation runs without them.
 */
export async function loadLegalPages(config: Pick<Config, 'PRIVACY_FILE' | 'TERMS_FILE'>): Promise<LegalPages> {
  const [privacy, terms] = await Promise.all([
    read('PRIVACY_FILE', config.PRIVACY_FILE ?? delivered('privacy.md')),
    read('TERMS_FILE', config.TERMS_FILE ?? delivered('terms.md')),
  ])
  return {
    privacy: { page: 'privacy', ...toPage(privacy, titles.privacy) },
    terms: { page: 'terms', ...toPage(terms, titles.terms) },
  }
}

const titles = { privacy: 'Privacy Policy', terms: 'Terms of Service', imprint: 'Imprint' }

/** The pages of a shop: its own, else those of the settings or the defaults, which do not name the software to a named shop's customers. */
export function legalPagesOf(shop: Pick<Shop, 'version' | 'pages'>, delivered: LegalPages): LegalPages {
  if (!isNamed(shop)) return delivered
  const own = (['terms', 'privacy', 'imprint'] as const).flatMap((page) => {
    const markdown = shop.pages[page]
    return markdown === undefined ? [] : [[page, { page, ...toPage(markdown, titles[page]) }] as const]
  })
  const plain = ({ html, ...page }: LegalPage) => ({
    ...page,
    html: html
      .replace(/This is Finmeter(?:'|&#39;)s default/, 'This is the default')
      .replace(/These are Finmeter(?:'|&#39;)s default/, 'These are the default'),
  })
  return { privacy: plain(delivered.privacy), terms: plain(delivered.terms), ...Object.fromEntries(own) }
}

async function read(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${setting} is not valid: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** The first heading is the title; everything before and after it is the text. */
function toPage(markdown: string, fallbackTitle: string): Omit<LegalPage, 'page'> {
  const heading = /^#[ \t]+(.+)$/m.exec(markdown)
  const body = heading ? markdown.replace(heading[0], '') : markdown
  return { title: heading?.[1]?.trim() ?? fallbackTitle, html: toHtml(body) }
}

/** Raw HTML is shown as text, and only links to the web, mail or this site are kept: a text file cannot run code. */
export function toHtml(markdown: string): string {
  const marked = new Marked({
    async: false,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        return /^(https?:|mailto:|\/(?!\/)|#)/i.test(href) ? `<a href="${escapeHtml(href)}">${text}</a>` : text
      },
      image: ({ text }) => escapeHtml(text),
    },
  })
  return marked.parse(markdown) as string
}
