/** Built into dist/docs-template: the server writes with it what the documentation says of upstreams, which it alone knows. */
import { priceText } from '../../server/features/tools/listing/price-text.ts'
import type { RegisteredTool } from '../../server/features/tools/register-tool.ts'
import type { DocsAssets, DocsPage, ListedPage } from '../../web/docs/page.ts'
import { columnsOf } from './columns.ts'
import { llmsGroups, twinOf } from './language-models.ts'
import { renderMarkdown } from './markdown.ts'
import { plainColor } from './plain-color.ts'
import { plainLine } from './plain-text.ts'
import type { OperationOf } from './request-example.ts'
import { extendIndex } from './sections.ts'
import type { SourcePage } from './site-page.ts'
import { cell, endpointOf, referencePath } from './tool-page.ts'
import { upstreamTitle, upstreamToolPage } from './upstream-tool-page.ts'

/** Longer groups would fill the navigation of every page: they have only the page of their upstream in it. */
const MOST_LISTED = 30

/** What the build knows of the other pages. */
export interface Site {
  /** In the order of the navigation. */
  pages: ListedPage[]
  assets: DocsAssets
}

/** web/docs/render.tsx */
export interface Template {
  renderDocsPage: (page: DocsPage, pages: ListedPage[], assets: DocsAssets) => string
  renderGroups: (pages: ListedPage[], current: string) => string
}

/** What the documentation says of one state of the tools. Texts have the build's placeholders. */
export interface UpstreamDocs {
  paths: readonly string[]
  /** A page by its path. */
  html: (path: string) => string
  markdown: (path: string) => string
  /** Its entries in the navigation of a page that was rendered without them. */
  navigation: (current: string) => string
  /** The search index of the build, with these pages. */
  search: (index: string) => string
  /** For llms.txt, llms-full.txt and the list of all endpoints. */
  index: string
  full: () => string
  overview: { html: string; markdown: string }
}

interface Written {
  page: SourcePage
  operationOf: OperationOf
}

/** `entries` are the tools of upstreams, in the order of the catalog. */
export function describeUpstreams(
  entries: readonly RegisteredTool[],
  site: Site,
  { renderDocsPage, renderGroups }: Template,
): UpstreamDocs {
  const groups = Map.groupBy(entries, ({ tool }) => tool.upstream!.id)
  const written = [...groups.values()].flatMap((members): Written[] => [
    { page: upstreamPage(members), operationOf: noOperation },
    ...members.map((entry) => ({
      page: upstreamToolPage(entry),
      operationOf: () => ({ tool: entry.tool.name, template: entry.tool.rest!.path }),
    })),
  ])
  const byPath = new Map(written.map((one) => [one.page.path, one]))
  const large = new Set(
    [...groups].filter(([, members]) => members.length > MOST_LISTED).flatMap(([, members]) => members.map(pathOf)),
  )
  const listed = (current: string) =>
    written.map(({ page }) => page).filter(({ path }) => path === current || !large.has(path))
  const twin = ({ page, operationOf }: Written) => twinOf(plainPage(page), operationOf)
  const table = [...groups.values()].map(
    (members) => `## ${plainLine(upstreamTitle(members[0]!))}\n\n${tableOf(members)}`,
  )
  const overview = table.join('\n\n')
  return {
    paths: [...byPath.keys()],
    html(path) {
      const { page, operationOf } = byPath.get(path)!
      const { markdown, call, ...about } = page
      const rendered = renderMarkdown(markdown, plainColor, operationOf)
      return renderDocsPage(
        { ...about, ...rendered, call: call && { form: call, columns: columnsOf(rendered.html) } },
        [...site.pages, ...listed(path)],
        site.assets,
      )
    },
    markdown: (path) => twin(byPath.get(path)!),
    navigation: (current) => renderGroups(listed(current), current),
    search: (index) =>
      extendIndex(
        index,
        written.map(({ page }) => page),
      ),
    index: llmsGroups(written.map(({ page }) => plainPage(page))),
    full: () => written.map(twin).join('\n\n---\n\n'),
    overview: { html: renderMarkdown(overview, plainColor, noOperation).html, markdown: overview },
  }
}

const pathOf = ({ tool }: RegisteredTool): string => referencePath(tool)

const noOperation: OperationOf = () => {
  throw new Error('this page shows no request')
}

/** Titles as Markdown in which they mean nothing but their text. */
const plainPage = (page: SourcePage): SourcePage => ({
  ...page,
  title: plainLine(page.title),
  description: plainLine(page.description),
  group: page.group && plainLine(page.group),
})

/** All operations of an upstream. */
function upstreamPage(members: RegisteredTool[]): SourcePage {
  const title = upstreamTitle(members[0]!)
  const { id } = members[0]!.tool.upstream!
  const overMcp = members.filter(({ tool }) => tool.mcp !== false).length
  return {
    path: `/docs/upstreams/${id}`,
    title,
    description: `${members.length} ${members.length === 1 ? 'operation' : 'operations'} below /v1/${id}/, with prices.`,
    group: title,
    label: 'All operations',
    markdown: [
      `Call them over REST with the same key as everything else. ${overMcp === 0 ? 'None is a tool over MCP.' : `Over MCP, ${overMcp === members.length ? 'all' : overMcp} are tools; \`/mcp?tools=${id}\` lists only these.`}`,
      tableOf(members),
    ].join('\n\n'),
  }
}

function tableOf(members: RegisteredTool[]): string {
  const rows = members.map(
    ({ tool }) =>
      `| [${cell(plainLine(tool.title))}](${referencePath(tool)}) | ${endpointOf(tool)} | ${tool.mcp === false ? '' : `\`${tool.name}\``} | ${priceText(tool.credits)} |`,
  )
  return `| Name | Endpoint | Tool | Price |\n| --- | --- | --- | --- |\n${rows.join('\n')}`
}
