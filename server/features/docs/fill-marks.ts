import type { Config } from '../../config.ts'
import { webSettings } from '../site/web-settings.ts'

/** Replaces the marks that the build left for what only the installation knows. `html` escapes values and drops parts that are switched off. */
export type FillMarks = (text: string, as: 'html' | 'text') => string

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export function createFillMarks(config: Config): FillMarks {
  const { publicUrl, sandbox, links, social } = webSettings(config)
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
    ...(links.source ? ['SOURCE'] : []),
    ...social.filter(({ enabled }) => enabled).map(({ id }) => `SOCIAL_${id.toUpperCase()}`),
  ])
  return (text, as) => {
    const kept =
      as === 'html'
        ? text.replaceAll(/<(li|div) data-if="(\w+)">[\s\S]*?<\/\1>/g, (part, _tag, name: string) =>
            present.has(name) ? part : '',
          )
        : text
    return kept.replaceAll(/%([A-Z_]+)%/g, (mark, name: string) => {
      const value = marks.get(name)
      return value === undefined ? mark : as === 'html' ? escapeHtml(value) : value
    })
  }
}
