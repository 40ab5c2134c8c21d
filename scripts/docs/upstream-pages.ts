/** Built into dist/docs-template: the server writes with it what the documentation says of upstreams, which it alone knows. */
import { priceText } from '../../server/features/tools/listing/price-text.ts'
import type { RegisteredTool } from '../../server/features/tools/register-tool.ts'
import type { DocsAssets, DocsPage, ListedPage } from '../../web/docs/page.ts'
import { telling } from '../../web/features/answer/telling.ts'
import { callOf, columnsOf } from './columns.ts'
import { findOperation } from './find-operation.ts'
import { fitGuide, guideCallOf, type Sold } from './fit-guide.ts'
import { type Fitted, type Installed, installedExamples } from './installed-examples.ts'
import { landingPage } from './landing-page.ts'
import { llmsGroups, twinOf } from './language-models.ts'
import { renderMarkdown } from './markdown.ts'
import { plainColor } from './plain-color.ts'
import { plainLine } from './plain-text.ts'
import { referencePage } from './reference-page.ts'
import type { OperationOf } from './request-example.ts'
import { extendIndex } from './sections.ts'
import type { SourcePage } from './site-page.ts'
import { startPage } from './start-page.ts'
import { cell, endpointOf, referencePath } from './tool-page.ts'
import { givenAnswer, upstreamTitle, upstreamToolPage, withExample } from './upstream-tool-page.ts'

/** Longer groups would fill the navigation of every page: they have only the page of their upstream in it. */
const MOST_LISTED = 30

/** What the build knows of the other pages. */
export interface Site {
  /** In the order of the navigation. */
  pages: ListedPage[]
  /** The guides as they are written. */
  guides: SourcePage[]
  /** The first call, with its response. */
  first: { tool: string; answer: string[] }
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
  /** Pages of the build that say something else here. */
  replaced: ReadonlySet<string>
  /** A page by its path, of these or of those. */
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

/** `catalog` is what is sold; `selling` says what else it is, and `installed` what data there are. */
export async function describeUpstreams(
  catalog: readonly RegisteredTool[],
  selling: Omit<Sold, 'symbol' | 'series'>,
  site: Site,
  { renderDocsPage, renderGroups }: Template,
  installed: Installed,
): Promise<UpstreamDocs> {
  const fitted = await installedExamples(catalog, installed)
  const all = catalog.map((entry) => fitted.get(entry.tool.name)?.entry ?? entry)
  const nameOf = (tool: string, input: string, none: string): string | null => {
    const found = fitted.get(tool)
    return found ? String(found.entry.tool.example?.[input] ?? none) : null
  }
  const sold: Sold = {
    ...selling,
    symbol: nameOf('get_bars', 'symbol', 'SYMBOL'),
    series: nameOf('get_economic_series', 'series_id', 'SERIES'),
  }
  const groups = Map.groupBy(
    all.filter(({ tool }) => tool.upstream && tool.rest),
    ({ tool }) => tool.upstream!.id,
  )
  const written = [...groups.values()].flatMap((members): Written[] => [
    { page: upstreamPage(members), operationOf: noOperation },
    ...members.map((entry) => ({
      page: upstreamToolPage(entry),
      operationOf: () => ({ tool: entry.tool.name, template: entry.tool.rest!.path }),
    })),
  ])
  const large = new Set(
    [...groups].filter(([, members]) => members.length > MOST_LISTED).flatMap(([, members]) => members.map(pathOf)),
  )
  const listed = (current: string) =>
    written.map(({ page }) => page).filter(({ path }) => path === current || !large.has(path))
  const served = new Set(all.map(pathOf))
  const others = site.pages.filter(({ path }) => !/^\/docs\/reference\/\w+$/.test(path) || served.has(path))
  const own = ownPages(all, fitted, sold, site, [...others, ...listed('')])
  const byPath = new Map([...written, ...own].map((one) => [one.page.path, one]))
  const twin = ({ page, operationOf }: Written) => twinOf(plainPage(page), operationOf)
  const table = [...groups.values()].map(
    (members) => `## ${plainLine(upstreamTitle(members[0]!))}\n\n${tableOf(members)}`,
  )
  const overview = table.join('\n\n')
  return {
    paths: written.map(({ page }) => page.path),
    replaced: new Set(own.map(({ page }) => page.path)),
    html(path) {
      const { page, operationOf } = byPath.get(path)!
      const { markdown, call, ...about } = page
      const { html, headings } = renderMarkdown(markdown, plainColor, operationOf)
      return renderDocsPage(
        {
          ...about,
          html,
          headings,
          landing: path === LANDING ? callOf(html) : undefined,
          call: call && { form: call, columns: columnsOf(html) },
        },
        [...others, ...listed(path)],
        site.assets,
      )
    },
    markdown: (path) => twin(byPath.get(path)!),
    navigation: (current) => renderGroups(listed(current), current),
    search: (index) =>
      extendIndex(
        index,
        written.map(({ page }) => page),
        own.map(({ page }) => page).filter(({ path }) => path !== LANDING),
      ),
    index: llmsGroups(written.map(({ page }) => plainPage(page))),
    full: () => written.map(twin).join('\n\n---\n\n'),
    overview: { html: renderMarkdown(overview, plainColor, noOperation).html, markdown: overview },
  }
}

const LANDING = '/docs'

/** The pages of the build that depend on what is sold: the landing page, which lists it, the quick start and the guides. */
function ownPages(
  all: readonly RegisteredTool[],
  fitted: ReadonlyMap<string, Fitted>,
  sold: Sold,
  site: Site,
  pages: ListedPage[],
): Written[] {
  const ours =
    sold.data && !fitted.has(site.first.tool) ? all.find(({ tool }) => tool.name === site.first.tool) : undefined
  const first = ours ?? firstCall(all)
  const operationOf = findOperation(all.map(({ tool }) => tool))
  const reference = [...fitted.values()].map(({ entry, answer }) => ({
    page: referencePage(entry, answer),
    operationOf,
  }))
  if (!first) return reference
  const entry = withExample(first)
  const answer = ours ? site.first.answer : (fitted.get(first.tool.name)?.answer ?? givenAnswer(first))
  const call = guideCallOf(entry)
  const landing = landingPage(entry, answer, pages)
  const others = [
    startPage(entry, answer, sold),
    ...site.guides
      .filter(({ path }) => !sold.without.includes(path))
      .map((page) => ({ ...page, markdown: fitGuide(page.markdown, sold, call) })),
  ]
  const isAsBuilt = ours && sold.market && sold.examples && sold.demo && !sold.named && fitted.size === 0
  return [...(isAsBuilt ? [landing] : [landing, ...others]).map((page) => ({ page, operationOf })), ...reference]
}

const firstOfData = ['get_bars', 'get_economic_series']

/** The call to begin with where the build's is not served: of an upstream if there is one, and the one whose known answer shows most. */
function firstCall(all: readonly RegisteredTool[]): RegisteredTool | undefined {
  const calls = all.filter(
    ({ tool }) => tool.rest?.method === 'GET' && (tool.upstream || tool.example) && !tool.streamMs,
  )
  const theirs = calls
    .filter(({ tool }) => tool.upstream)
    .toSorted((a, b) => telling(b.tool.exampleAnswer) - telling(a.tool.exampleAnswer))
  const data = calls.find(({ tool }) => firstOfData.includes(tool.name))
  return theirs[0] ?? data ?? calls[0]
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
