/** One section of a page in the search index. `id` is its URL. */
export interface SearchSection {
  id: string
  /** Its name in code, such as `get_bars`; empty for part of a page. */
  name: string
  page: string
  /** Its heading; empty for content before the first heading. */
  section: string
  text: string
  excerpt: string
}

export type Found = Pick<SearchSection, 'id' | 'page' | 'section' | 'excerpt'>

/** Stop words. */
const empty = new Set(
  'a an and are can do does for how i in is it my of or the to what when where which with'.split(' '),
)

/** Shared by the build, which creates the index, and the browser, which reads it. */
export const indexOptions = {
  fields: ['name', 'page', 'section', 'text'],
  storeFields: ['id', 'page', 'section', 'excerpt'],
  processTerm: (term: string) => (empty.has(term.toLowerCase()) ? null : term.toLowerCase()),
}

/** Names and titles weigh most. Matches prefixes and small typos too. */
export const queryOptions = {
  boost: { name: 8, page: 4, section: 2 },
  prefix: true,
  fuzzy: 0.15,
  combineWith: 'AND' as const,
}
