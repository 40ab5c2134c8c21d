import type MiniSearch from 'minisearch'
import type { Options, SearchOptions, SearchResult } from 'minisearch'

/** A page or a section of one in the search index. `id` is its URL. */
export interface SearchSection {
  id: string
  page: string
  /** Its heading; empty for the page itself. */
  section: string
  /** What it is called: the heading of a section, the title of a page. */
  title: string
  /** How programs and readers call it besides: `get_bars`, `429`, `quickstart`. */
  names: string
  /** The title of the page, for sections. */
  within: string
  /** Its prose, which is also shown. */
  text: string
  code: string
}

/** What search shows of a section. */
export interface Found extends Pick<SearchSection, 'id' | 'page' | 'section' | 'text'> {
  /** The words of the index that the query matched. */
  terms: string[]
}

const stopWords = new Set(
  'a an and are can do does for from get how i in is it me my of on or our the to what when where which with you your'.split(
    ' ',
  ),
)

/** In the singular, so that both numbers are one word. */
const singular = (word: string): string =>
  word.length > 6 && word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/(?<=[^isu\W]..?[^isu])s$/, '')

const termOf = (word: string): string => singular(word.toLowerCase())

/** Words, and names in code such as get_bars. */
const words = (text: string): string[] => text.match(/[a-z\d]+(?:_[a-z\d]+)+|[\p{L}\p{N}]+/gu) ?? []

/** Shared by the build and the server, which write the index, and the browser, which reads it. */
export const indexOptions: Options<SearchSection> = {
  fields: ['title', 'names', 'within', 'text', 'code'],
  storeFields: ['id', 'page', 'section', 'text'],
  processTerm: (word) => (stopWords.has(word.toLowerCase()) ? null : termOf(word)),
  // A name is found as a whole and by its parts.
  tokenize: (text) => words(text).flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word])),
}

const inHeads: SearchOptions = {
  fields: ['title', 'names', 'within'],
  boost: { title: 3, names: 3 },
  prefix: true,
  weights: { prefix: 0.5, fuzzy: 0.2 },
  combineWith: 'AND',
  tokenize: words,
  // Guides explain a subject; an error is mostly reached by its code.
  boostDocument: (id) => (String(id).startsWith('/docs/errors/') ? 0.25 : 1),
}
const anywhere: SearchOptions = {
  ...inHeads,
  fields: ['title', 'names', 'within', 'text', 'code'],
  boost: { title: 8, names: 8, within: 2, code: 0.3 },
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
}

const MOST_OF_PAGE = 3

/**
 * First the sections that have every word of a query in their headings, then those that have them anywhere, at most a few of one
 * page; without any, those that have some of the words.
 */
export function findSections(index: MiniSearch<SearchSection>, query: string): Found[] {
  const all = [inHeads, anywhere].flatMap((options) => index.search(query, options))
  const found = all.length > 0 ? all : index.search(query, { ...anywhere, combineWith: 'OR' })
  const once = unique((found as (SearchResult & Found)[]).map((one, _, all) => showing(one, all)))
  const counts = new Map<string, number>()
  return once.filter(({ page }) => {
    counts.set(page, (counts.get(page) ?? 0) + 1)
    return counts.get(page)! <= MOST_OF_PAGE
  })
}

const unique = <T extends { id: string }>(all: T[]): T[] => {
  const seen = new Set<string>()
  return all.filter(({ id }) => !seen.has(id) && seen.add(id))
}

/** What is found by its other names alone shows no word of the query: the first section of its page that does stands for it. */
function showing<T extends Found>(one: T, all: T[]): T {
  const isShown = ({ page, section, text, terms }: T) =>
    marked(`${section || page} ${text}`, terms).some(({ hit }) => hit)
  return isShown(one) ? one : (all.find((other) => other.page === one.page && isShown(other)) ?? one)
}

const SNIPPET_LENGTH = 150
const WORD = /[\p{L}\p{N}]+/gu

/** A text in parts, of which those that the query matched are hits. */
export function marked(text: string, terms: readonly string[]): { text: string; hit: boolean }[] {
  const wanted = new Set(terms)
  const parts: { text: string; hit: boolean }[] = []
  let end = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!wanted.has(termOf(word))) continue
    parts.push({ text: text.slice(end, index), hit: false }, { text: word, hit: true })
    end = index + word.length
  }
  return [...parts, { text: text.slice(end), hit: false }].filter((part) => part.text !== '')
}

/** The part of a text that has most of the query's words, from the beginning of its sentence if that is near. */
export function snippetOf({ text, terms }: Pick<Found, 'text' | 'terms'>): string {
  const wanted = new Set(terms)
  const hits = [...text.matchAll(WORD)].filter(([word]) => wanted.has(termOf(word)))
  const near = hits.map(({ index }) => ({
    index,
    count: new Set(
      hits.filter((hit) => hit.index >= index && hit.index < index + SNIPPET_LENGTH / 2).map(([word]) => termOf(word)),
    ).size,
  }))
  const first = near.reduce((best, one) => (one.count > best.count ? one : best), { index: 0, count: 0 }).index
  const before = text.slice(0, first)
  const sentence = /(?:^|[.?] )(?=(?:(?![.?] ).)*$)/.exec(before)
  const start = sentence && first - sentence.index < SNIPPET_LENGTH / 2 ? sentence.index + sentence[0].length : -1
  const from = start >= 0 ? start : before.lastIndexOf(' ', first - SNIPPET_LENGTH / 3) + 1
  const rest = text.slice(from)
  const shown = rest.length > SNIPPET_LENGTH ? `${rest.slice(0, rest.lastIndexOf(' ', SNIPPET_LENGTH))}…` : rest
  return start >= 0 || from === 0 ? shown : `…${shown}`
}
