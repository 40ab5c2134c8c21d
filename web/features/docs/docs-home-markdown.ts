import { docsText as text } from './text.ts'

/** Where the documentation begins, for readers of Markdown. */
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
