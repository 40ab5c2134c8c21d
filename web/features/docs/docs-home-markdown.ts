import type { Settings } from '../../lib/settings.ts'
import { forReaders, docsText as text } from './text.ts'

/** The documentation's landing page as Markdown. */
export function docsHomeMarkdown(_plans: unknown, settings?: Settings): string {
  const named = settings?.shop.named ?? false
  return [
    text.about,
    list(text.cards),
    `## ${text.guidesTitle}`,
    list(forReaders(text.guides, named)),
    `## ${text.moreTitle}`,
    list(forReaders(text.more, named)),
  ].join('\n\n')
}

const list = (links: readonly { title: string; about: string; href: string }[]) =>
  links.map(({ title, about, href }) => `- [${title}](${href}): ${about}`).join('\n')
