import MiniSearch from 'minisearch'
import { type Found, findSections, indexOptions, marked, snippetOf } from './search-index.ts'

type Parts = ReturnType<typeof marked>

/** A result as it is shown, with the words that were searched for as hits. */
export interface Shown {
  title: Parts
  snippet: Parts
}

export interface Search {
  /** The sections for a query, best first. */
  find: (query: string) => Found[]
  show: (found: Found) => Shown
}

/** The index that the server sent. */
export function openIndex(json: string): Search {
  const index = MiniSearch.loadJSON(json, indexOptions)
  return {
    find: (query) => findSections(index, query),
    show: (found) => ({
      title: marked(found.section ? `${found.page}: ${found.section}` : found.page, found.terms),
      snippet: marked(snippetOf(found), found.terms),
    }),
  }
}
