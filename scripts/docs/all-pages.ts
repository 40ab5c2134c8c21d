import { join } from 'node:path'
import { allErrorsTable, errorPages } from './error-pages.ts'
import { loadDemoMarket } from './example-answer.ts'
import { fitGuide, guideCallOf } from './fit-guide.ts'
import { readGuides } from './guides.ts'
import { landingPage } from './landing-page.ts'
import { documentedTools, referencePages } from './reference.ts'
import { sampleAnswer } from './reference-page.ts'
import type { SourcePage } from './site-page.ts'
import { startPage } from './start-page.ts'

const guidesDir = join(import.meta.dirname, '../../web/content/docs')
/** What an installation sells until an operator decides otherwise. */
const everything = {
  market: true,
  examples: true,
  data: true,
  demo: true,
  named: false,
  without: [],
  symbol: null,
  series: null,
}
/** The tool of the first call. */
const FIRST = 'get_economic_series'

interface AllPages {
  landing: SourcePage
  /** In sidebar order: guides, reference, then the error pages, which are reached by links. */
  pages: SourcePage[]
  /** The guides as they are written, for shops that sell something else. */
  guides: SourcePage[]
  /** The call that the landing page and the quick start show. */
  first: { tool: string; answer: string[] }
}

export async function allPages(): Promise<AllPages> {
  const tools = documentedTools()
  const market = await loadDemoMarket()
  const first = tools.find(({ tool }) => tool.name === FIRST)!
  const answer = await sampleAnswer(first.tool, market)
  const call = guideCallOf(first)
  const guides = readGuides(guidesDir).map((page) => ({
    ...page,
    markdown: page.markdown.replace('{{errors}}', allErrorsTable()),
  }))
  const fitted = guides.map((page) => ({ ...page, markdown: fitGuide(page.markdown, everything, call) }))
  const listed = [startPage(first, answer, everything), ...fitted, ...(await referencePages(tools, market))]
  return {
    landing: landingPage(first, answer, listed),
    pages: [...listed, ...errorPages()],
    guides,
    first: { tool: FIRST, answer },
  }
}
