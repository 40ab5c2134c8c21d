import type { Config } from '../../config/config.ts'
import { escapeHtml } from '../../http/escape-html.ts'
import { webSettings } from '../site/web-settings.ts'

/**
 * Replaces the build's placeholders for values that only the installation knows. `html` escapes values and removes
 * disabled parts.
 */
export type FillMarks = (text: string, as: 'html' | 'text') => string

export function createFillMarks(config: Config): FillMarks {
  const { publicUrl, sandbox, mailbox, demoKey, links, social } = webSettings(config)
  const marks = new Map([
    ['ORIGIN', publicUrl],
    ['DOCS', links.docs],
    ['PRICING', links.pricing],
    ['SUPPORT', links.supportEmail],
    ['SOURCE', links.source ?? ''],
    ['SALES', links.sales],
    ['YEAR', String(new Date().getFullYear())],
    ...social.map(({ id, href }) => [`SOCIAL_${id.toUpperCase()}`, href] as const),
  ])
  const present = new Set([
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
