import { createHash } from 'node:crypto'
import { contentPolicy } from '../../http/security-headers.ts'

/** The content security policy of a page: the site's, plus the hashes of the page's inline scripts. */
export function pagePolicy(html: string, config: Parameters<typeof contentPolicy>[0]): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1]!)
  const hashes = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  return Object.entries(contentPolicy(config, hashes))
    .map(([name, values]) => [name, ...values].join(' '))
    .join('; ')
}
