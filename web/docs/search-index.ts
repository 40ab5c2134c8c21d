/** One section of a page, as the search knows it. `id` is its address. */
export interface SearchSection {
  id: string
  page: string
  /** Its heading; empty for what stands before the first one. */
  section: string
  text: string
  excerpt: string
}

export type Found = Pick<SearchSection, 'id' | 'page' | 'section' | 'excerpt'>

/** The same for making the index at build time and for reading it in the browser. */
export const indexOptions = {
  fields: ['page', 'section', 'text'],
  storeFields: ['id', 'page', 'section', 'excerpt'],
}

/** Titles count most; beginnings of words and small slips are found too. */
export const queryOptions = {
  boost: { page: 4, section: 2 },
  prefix: true,
  fuzzy: 0.15,
  combineWith: 'AND' as const,
}
