import { ORIGIN } from './page.ts'

interface Twin {
  path: string
  title: string
  description: string
  /** Plain Markdown of what stands below the title; links within the site begin with a slash. */
  markdown: string
}

/** The Markdown twin of a page: its title, what it is about, its content with whole addresses, and where the index is. */
export function markdownTwin({ path, title, description, markdown }: Twin): string {
  return `# ${title}\n\n> ${description}\n>\n> Address: ${ORIGIN}${path} · Index of all pages: ${ORIGIN}/llms.txt\n\n${wholeLinks(markdown)}\n`
}

/** Links to other pages lead to their twins, so that a reader of Markdown stays in Markdown. */
const wholeLinks = (markdown: string): string =>
  markdown
    .replaceAll(
      /\]\((\/docs(?:\/[\w/-]+)?)(#[\w-]+)?\)/g,
      (_, path: string, fragment = '') => `](${ORIGIN}${path}.md${fragment})`,
    )
    .replaceAll(/\]\((\/[^)]*)\)/g, `](${ORIGIN}$1)`)
