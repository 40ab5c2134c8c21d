import type { Config } from '../../config/config.ts'
import { escapeHtml } from '../../http/escape-html.ts'
import { isNamed, type Shop, slugOf } from '../shop/shop.ts'
import { webSettings } from '../site/web-settings.ts'

/**
 * Replaces the build's placeholders for values that only the installation knows. `html` escapes values and removes
 * disabled parts.
 */
export type FillMarks = (text: string, as: 'html' | 'text') => string

const ABOUT =
  'Metered access to financial data over REST and MCP. One API key, exact credits, a receipt for every response.'

export function createFillMarks(config: Config, shop: Shop): FillMarks {
  const { publicUrl, sandbox, mailbox, demoKey, links, social } = webSettings(config, shop)
  const marks = new Map([
    ['ORIGIN', publicUrl],
    ['SHOP', shop.name],
    ['SLUG', slugOf(shop)],
    ['KEY_PREFIX', shop.keyPrefix],
    ['KEY_LENGTH', String(shop.keyPrefix.length + 38)],
    ['LOGO', shop.logo?.path ?? ''],
    ['LOGO_DARK', (shop.logoDark ?? shop.logo)?.path ?? ''],
    ['PROMISE', shop.promise ?? ''],
    ['ABOUT', isNamed(shop) ? (shop.promise ?? shop.name) : ABOUT],
    ['DOCS', links.docs],
    ['PRICING', links.pricing],
    ['SUPPORT', links.supportEmail],
    ['SOURCE', links.source ?? ''],
    ['SALES', links.sales],
    ['YEAR', String(new Date().getFullYear())],
    ...social.map(({ id, href }) => [`SOCIAL_${id.toUpperCase()}`, href] as const),
  ])
  const present = new Set([
    isNamed(shop) ? 'NAMED' : 'UNNAMED',
    ...(shop.poweredBy ? ['POWERED_BY'] : []),
    ...(shop.pages.imprint === undefined ? [] : ['IMPRINT']),
    ...(sandbox ? ['SANDBOX'] : []),
    ...(mailbox ? ['MAILBOX'] : []),
    ...(demoKey ? ['DEMO_KEY'] : []),
    ...(links.source ? ['SOURCE'] : []),
    ...social.filter(({ enabled }) => enabled).map(({ id }) => `SOCIAL_${id.toUpperCase()}`),
  ])
  /** Removes disabled parts. A part may contain smaller parts of another element. */
  const keep = (text: string): string =>
    text.replaceAll(/<(li|div|span) data-if="(\w+)">([\s\S]*?)<\/\1>/g, (_part, tag, name: string, inner: string) =>
      present.has(name) ? `<${tag}>${keep(inner)}</${tag}>` : '',
    )
  return (text, as) => {
    const kept = as === 'html' ? keep(text) : text
    return kept.replaceAll(/%([A-Z_]+)%/g, (mark, name: string) => {
      const value = marks.get(name)
      return value === undefined ? mark : as === 'html' ? escapeHtml(value) : value
    })
  }
}
