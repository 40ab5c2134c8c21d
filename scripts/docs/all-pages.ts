import { join } from 'node:path'
import { allErrorsTable, errorPages } from './error-pages.ts'
import { loadDemoMarket } from './example-answer.ts'
import { readGuides } from './guides.ts'
import { documentedTools, referencePages } from './reference.ts'
import type { SourcePage } from './site-page.ts'

const guidesDir = join(import.meta.dirname, '../../web/content/docs')

/**
 * Every page of the documentation in sidebar order: guides, reference, then the error pages, which are reached by
 * links.
 */
export async function allPages(): Promise<SourcePage[]> {
  const guides = readGuides(guidesDir).map((page) => ({
    ...page,
    markdown: page.markdown.replace('{{errors}}', allErrorsTable()),
  }))
  return [...guides, ...(await referencePages(documentedTools(), await loadDemoMarket())), ...errorPages()]
}
