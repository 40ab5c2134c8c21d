import MiniSearch from 'minisearch'
import { indexOptions, type SearchSection } from '../../web/docs/search-index.ts'
import { fragmentOf } from './markdown.ts'
import type { SourcePage } from './site-page.ts'

const EXCERPT_LENGTH = 140

/** The search index of all pages, one entry for each section, as the browser loads it. */
export function searchIndex(pages: SourcePage[]): string {
  const index = new MiniSearch<SearchSection>(indexOptions)
  index.addAll(pages.flatMap(sectionsOf))
  return JSON.stringify(index)
}

function sectionsOf({ path, title, description, markdown }: SourcePage): SearchSection[] {
  const [intro = '', ...parts] = `\n${markdown}`.split(/\n## /)
  const first = {
    id: path,
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
      return { id: `${path}#${fragmentOf(heading)}`, page: title, section: heading, text, excerpt: excerptOf(text) }
    }),
  ]
}

/** Markdown without its marks. */
const wordsOf = (markdown: string): string =>
  markdown
    .replaceAll(/\]\([^)]*\)/g, ' ')
    .replaceAll(/^[|\s:-]+$/gm, ' ')
    .replaceAll(/[`*#|>[\]{}"]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const excerptOf = (text: string) =>
  text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH).trimEnd()}…` : text
