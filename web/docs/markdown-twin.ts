import { ORIGIN } from './page.ts'

interface Twin {
  path: string
  title: string
  description: string
  /** The content below the title as plain Markdown. Links within the site start with a slash. */
  markdown: string
}

/** The Markdown twin of a page: title, description, content with absolute links, and a link to the index. */
export function markdownTwin({ path, title, description, markdown }: Twin): string {
  return `# ${title}\n\n> ${description}\n>\n> Address: ${ORIGIN}${path} · Index of all pages: ${ORIGIN}/llms.txt\n\n${wholeLinks(markdown)}\n`
}

/** Links to other pages with a twin point to their Markdown twins. */
const wholeLinks = (markdown: string): string =>
  markdown
    .replaceAll(
      /\]\((\/(?:docs(?:\/[\w/-]+)?|sell))(#[\w-]+)?\)/g,
      (_, path: string, fragment = '') => `](${ORIGIN}${path}.md${fragment})`,
    )
    .replaceAll(/\]\((\/[^)]*)\)/g, `](${ORIGIN}$1)`)
