import { markdownTwin } from '../../web/docs/markdown-twin.ts'
import { ORIGIN } from '../../web/docs/page.ts'
import { plainMarkdown } from './markdown.ts'
import type { OperationOf } from './request-example.ts'
import type { SourcePage } from './site-page.ts'

/** The Markdown twin of a page that is not the application's. */
export const twinOf = (page: SourcePage, operationOf: OperationOf): string =>
  markdownTwin({ ...page, markdown: plainMarkdown(page.markdown, operationOf) })

/** Where the server adds what upstreams offer. */
const UPSTREAMS = '{{upstreams}}'

type Listed = Pick<SourcePage, 'path' | 'title' | 'description' | 'group'>

/** The index for language models (llmstxt.org): what this is, how to call it, and one line for every page. */
export function llmsIndex(pages: Listed[]): string {
  return [
    '# %SHOP%',
    '> %ABOUT%',
    `REST: ${ORIGIN}/v1 with \`Authorization: Bearer YOUR_API_KEY\`, described by [openapi.json](${ORIGIN}/openapi.json). MCP: ${ORIGIN}/mcp (Streamable HTTP) with the same key. Create keys on the [API Keys](${ORIGIN}/dashboard/api-keys) page. Everything in one file: [llms-full.txt](${ORIGIN}/llms-full.txt).`,
    llmsGroups(pages),
    UPSTREAMS,
  ]
    .join('\n\n')
    .concat('\n')
}

/** One section for each group, one line for each page. */
export const llmsGroups = (pages: Listed[]): string =>
  [...Map.groupBy(pages, ({ group }) => group ?? 'Errors')]
    .map(
      ([group, members]) =>
        `## ${group}\n\n${members.map(({ path, title, description }) => `- [${title}](${ORIGIN}${path}.md): ${description}`).join('\n')}`,
    )
    .join('\n\n')

/** All twins as one text. `{{path}}` is the placeholder for a twin that only the server can write. */
export const llmsFull = (written: { path: string }[], pages: SourcePage[], operationOf: OperationOf): string =>
  [...written.map(({ path }) => `{{${path}}}`), ...pages.map((page) => twinOf(page, operationOf)), UPSTREAMS].join(
    '\n\n---\n\n',
  )
