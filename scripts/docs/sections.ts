import MiniSearch from 'minisearch'
import { indexOptions, type SearchSection } from '../../web/docs/search-index.ts'
import { fragmentOf } from '../../web/lib/fragment.ts'
import type { SourcePage } from './site-page.ts'

const EXCERPT_LENGTH = 140

type Page = Pick<SourcePage, 'path' | 'title' | 'description' | 'markdown'>

/** The search index of all pages as the browser loads it: one entry for each section, and one for each question of the application's pages. */
export function searchIndex(pages: Page[], applicationPages: Page[]): string {
  const index = new MiniSearch<SearchSection>(indexOptions)
  index.addAll(pages.flatMap(sectionsOf))
  index.addAll(applicationPages.flatMap(questionsOf))
  return JSON.stringify(index)
}

/** An index that was written before, with further pages. */
export function extendIndex(text: string, pages: Page[]): string {
  const index = MiniSearch.loadJSON<SearchSection>(text, indexOptions)
  index.addAll(pages.flatMap(sectionsOf))
  return JSON.stringify(index)
}

/** The last part of the address, which is how programs call an endpoint or an error. */
const nameOf = (path: string) => path.split('/').at(-1) ?? ''

/** The page itself, and its third-level headings, which are questions with links. */
function questionsOf({ path, title, description, markdown }: Page): SearchSection[] {
  const [, ...parts] = markdown.split(/\n### /)
  const about = { id: path, name: nameOf(path), page: title, section: '', excerpt: excerptOf(description) }
  return [
    { ...about, text: `${description} ${wordsOf(markdown.replaceAll(/\n### [^#]*/g, ''))}` },
    ...parts.map((part) => {
      const [heading = '', ...lines] = part.split(/\n## /, 1)[0]!.split('\n')
      const text = wordsOf(lines.join('\n'))
      const id = `${path}#${fragmentOf(heading)}`
      return { id, name: '', page: title, section: heading, text, excerpt: excerptOf(text) }
    }),
  ]
}

function sectionsOf({ path, title, description, markdown }: Page): SearchSection[] {
  const [intro = '', ...parts] = `\n${markdown}`.split(/\n## /)
  const first = {
    id: path,
    name: nameOf(path),
    page: title,
    section: '',
    text: `${description} ${wordsOf(intro)}`,
    excerpt: excerptOf(description),
  }
  return [
    first,
    ...parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n')
      const text = wordsOf(lines.join('\n'))
      const id = `${path}#${fragmentOf(heading)}`
      return { id, name: '', page: title, section: heading, text, excerpt: excerptOf(text) }
    }),
  ]
}

/** Markdown without its markup. */
const wordsOf = (markdown: string): string =>
  markdown
    .replaceAll(/\]\([^)]*\)/g, ' ')
    .replaceAll(/^[|\s:-]+$/gm, ' ')
    .replaceAll(/[`*#|>[\]{}"\\]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const excerptOf = (text: string) =>
  text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH).trimEnd()}…` : text
