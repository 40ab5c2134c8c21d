import { docsText as text } from './text.ts'

/** The documentation's landing page as Markdown. */
export const docsHomeMarkdown = (): string =>
  [
    text.about,
    list(text.cards),
    `## ${text.guidesTitle}`,
    list(text.guides),
    `## ${text.moreTitle}`,
    list(text.more),
  ].join('\n\n')

const list = (links: readonly { title: string; about: string; href: string }[]) =>
  links.map(({ title, about, href }) => `- [${title}](${href}): ${about}`).join('\n')
