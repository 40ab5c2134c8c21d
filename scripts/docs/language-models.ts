import { markdownTwin } from '../../web/docs/markdown-twin.ts'
import { ORIGIN } from '../../web/docs/page.ts'
import { plainMarkdown } from './markdown.ts'
import type { SourcePage } from './site-page.ts'

/** The Markdown twin of a page that is complete at build time. */
export const twinOf = (page: SourcePage): string => markdownTwin({ ...page, markdown: plainMarkdown(page.markdown) })

type Listed = Pick<SourcePage, 'path' | 'title' | 'description' | 'group'>

/** The index for language models (llmstxt.org): what this is, how to call it, and one line for every page. */
export function llmsIndex(pages: Listed[]): string {
  const groups = Map.groupBy(pages, ({ group }) => group ?? 'Errors')
  const list = [...groups].map(
    ([group, members]) =>
      `## ${group}\n\n${members.map(({ path, title, description }) => `- [${title}](${ORIGIN}${path}.md): ${description}`).join('\n')}`,
  )
  return [
    '# Finmeter',
    '> Metered access to financial data over REST and MCP. One API key, exact credits, a receipt for every response.',
    `REST: ${ORIGIN}/v1 with \`Authorization: Bearer YOUR_API_KEY\`, described by [openapi.json](${ORIGIN}/openapi.json). MCP: ${ORIGIN}/mcp (Streamable HTTP) with the same key. Create keys on the [API Keys](${ORIGIN}/dashboard/api-keys) page. Everything in one file: [llms-full.txt](${ORIGIN}/llms-full.txt).`,
    ...list,
  ]
    .join('\n\n')
    .concat('\n')
}

/** All twins as one text. `{{path}}` is the placeholder for a twin that only the server can write. */
export const llmsFull = (written: { path: string }[], pages: SourcePage[]): string =>
  [...written.map(({ path }) => `{{${path}}}`), ...pages.map(twinOf)].join('\n\n---\n\n')
