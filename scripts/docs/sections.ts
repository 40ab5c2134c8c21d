import MiniSearch from 'minisearch'
import { indexOptions, type SearchSection } from '../../web/docs/search-index.ts'
import { fragmentOf } from '../../web/lib/fragment.ts'
import type { SourcePage } from './site-page.ts'
import { PLANS } from './start-page.ts'

type Page = Pick<SourcePage, 'path' | 'title' | 'description' | 'markdown' | 'names'>

/** The search index of all pages as the browser loads it: one entry for each page and for each of its sections. */
export function searchIndex(pages: Page[], applicationPages: Page[]): string {
  const index = new MiniSearch<SearchSection>(indexOptions)
  index.addAll(pages.flatMap((page) => (isEntry(page) ? wholePage(page) : sectionsOf(page, '## '))))
  // Their third-level headings are questions with links.
  index.addAll(applicationPages.flatMap((page) => sectionsOf(page, '### ')))
  return JSON.stringify(index)
}

/** An index that was written before, with further pages, and with guides in place of those of the same path. */
export function extendIndex(text: string, pages: Page[], guides: Page[]): string {
  const index = MiniSearch.loadJSON<SearchSection>(text, indexOptions)
  const { storedFields } = JSON.parse(text) as { storedFields: Record<string, { id: string }> }
  const replaced = new Set(guides.map(({ path }) => path))
  const ids = Object.values(storedFields).map(({ id }) => id)
  index.discardAll(ids.filter((id) => replaced.has(id.replace(/#.*/, ''))))
  index.addAll(pages.map(wholePage))
  index.addAll(guides.flatMap((page) => sectionsOf(page, '## ')))
  return JSON.stringify(index)
}

/** An endpoint or an error: its sections have the same headings as all others, and would only repeat it. */
const isEntry = ({ path }: Page): boolean => /^\/docs\/(reference|errors\/)/.test(path)

/** Sections that say about the same of every endpoint. */
const BOILERPLATE = /\n## (Request|Response|Response schema|As an MCP tool|Terms|Errors)\n[\s\S]*?(?=\n## |$)/g

function wholePage({ path, title, description, markdown, names = '' }: Page): SearchSection {
  const text = wordsOf(`${description}\n\n${`\n${markdown}`.replaceAll(BOILERPLATE, '').replaceAll(/^## .*$/gm, '')}`)
  return { id: path, page: title, section: '', title, names, within: '', text, code: '' }
}

/** The page itself, and each part below a heading of this level, up to the next heading. */
function sectionsOf({ path, title, description, markdown, names = '' }: Page, level: '## ' | '### '): SearchSection[] {
  const [intro = '', ...parts] = `\n${markdown}`.split(/\n(?=#{2,3} )/)
  const headed = parts.filter((part) => part.startsWith(level))
  const others = parts.filter((part) => !part.startsWith(level))
  const about = [description, intro, ...others.map((part) => part.replace(/^#+ (.*)/, '$1.'))].join('\n\n')
  return [
    { id: path, page: title, section: '', title, names, within: '', text: wordsOf(about), code: codeOf(about) },
    ...headed.map((part) => {
      const section = part.slice(level.length, part.indexOf('\n') >>> 0)
      const body = part.slice(level.length + section.length)
      const id = `${path}#${fragmentOf(section)}`
      return {
        id,
        page: title,
        section,
        title: section,
        names: '',
        within: title,
        text: wordsOf(body),
        code: codeOf(body),
      }
    }),
  ]
}

const FENCE = /^```.*\n([\s\S]*?)\n```$/gm

const codeOf = (markdown: string): string => [...markdown.matchAll(FENCE)].map(([, code]) => code).join('\n')

/** Endpoint, status and price, which a page also says elsewhere. */
const FACTS = /^\| +\| +\|\n(\|.*\n?)+/gm

/** Endpoints in a list: each has a page. */
const LISTED = /^\| \[.*\]\(\/docs\/reference\/.*$/gm

/** The prose of Markdown: no code, no markup. A row of a table becomes a sentence: the first cell, a colon, the others. */
const wordsOf = (markdown: string): string =>
  markdown
    .replaceAll(FENCE, '')
    .replaceAll(FACTS, '')
    .replaceAll(LISTED, '')
    .replaceAll(PLANS, '')
    .replaceAll(/^None\.$/gm, '')
    .replaceAll(/`[^`\n]*\{"[^`\n]*`/g, '…')
    .replaceAll(/^\|.*\n\|[ |:-]+$/gm, '')
    .replaceAll(/^\| (.*?) \|$/gm, (_, row: string) => sentence(row.split(' | ').filter((cell) => cell.trim() !== '')))
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^(> ?|- |\d+\. |#+ )/gm, '')
    .replaceAll(/\\(?=[\\`*_[\]<>&~#@:.])|[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const sentence = ([name = '', ...cells]: string[]): string => `${name}: ${cells.join(', ').replace(/\.$/, '')}.`
