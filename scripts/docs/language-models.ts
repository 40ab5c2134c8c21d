import { plainMarkdown } from './markdown.ts'
import type { SourcePage } from './site-page.ts'

const ORIGIN = '%ORIGIN%'

/** The Markdown twin of a page: its title, what it is about, its content with whole addresses, and where the index is. */
export function markdownTwin({ path, title, description, markdown }: SourcePage): string {
  return `# ${title}\n\n> ${description}\n>\n> Address: ${ORIGIN}${path} · Index of all pages: ${ORIGIN}/llms.txt\n\n${wholeLinks(plainMarkdown(markdown))}\n`
}

/** Links to other pages lead to their twins, so that a reader of Markdown stays in Markdown. */
const wholeLinks = (markdown: string): string =>
  markdown
    .replaceAll(
      /\]\((\/docs\/[\w/-]+)(#[\w-]+)?\)/g,
      (_, path: string, fragment = '') => `](${ORIGIN}${path}.md${fragment})`,
    )
    .replaceAll(/\]\((\/[^)]*)\)/g, `](${ORIGIN}$1)`)

/** The index for language models (llmstxt.org): what this is, how to call it, every page with one line. */
export function llmsIndex(pages: SourcePage[]): string {
  const groups = Map.groupBy(pages, ({ group }) => group ?? 'Errors')
  const list = [...groups].map(
    ([group, members]) =>
      `## ${group}\n\n${members.map(({ path, title, description }) => `- [${title}](${ORIGIN}${path}.md): ${description}`).join('\n')}`,
  )
  return [
    '# Finmeter',
    '> Metered access to financial data over REST and MCP. One API key, exact credits, a receipt for every answer.',
    `REST: ${ORIGIN}/v1 with \`Authorization: Bearer YOUR_API_KEY\`, described by ${ORIGIN}/openapi.json. MCP: ${ORIGIN}/mcp (Streamable HTTP) with the same key. Keys: ${ORIGIN}/dashboard/api-keys. Everything on one page: ${ORIGIN}/llms-full.txt.`,
    ...list,
  ]
    .join('\n\n')
    .concat('\n')
}

export const llmsFull = (pages: SourcePage[]): string => pages.map(markdownTwin).join('\n\n---\n\n')
