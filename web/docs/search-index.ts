/** One section of a page, as the search knows it. `id` is its address. */
export interface SearchSection {
  id: string
  /** What programs call it, such as `get_bars`; empty for a part of a page. */
  name: string
  page: string
  /** Its heading; empty for what stands before the first one. */
  section: string
  text: string
  excerpt: string
}

export type Found = Pick<SearchSection, 'id' | 'page' | 'section' | 'excerpt'>

/** Words of every question, which say nothing about its answer. */
const empty = new Set('a an and are can do does how i in is it my of or the to what when where which with'.split(' '))

/** The same for making the index at build time and for reading it in the browser. */
export const indexOptions = {
  fields: ['name', 'page', 'section', 'text'],
  storeFields: ['id', 'page', 'section', 'excerpt'],
  processTerm: (term: string) => (empty.has(term.toLowerCase()) ? null : term.toLowerCase()),
}

/** Names and titles count most; beginnings of words and small slips are found too. */
export const queryOptions = {
  boost: { name: 8, page: 4, section: 2 },
  prefix: true,
  fuzzy: 0.15,
  combineWith: 'AND' as const,
}
