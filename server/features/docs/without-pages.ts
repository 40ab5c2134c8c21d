import MiniSearch from 'minisearch'

/** A text in which nothing may be shown any more is empty. */
type Clean = (text: string) => string

/** Takes pages out of what the build wrote. Paths are `/docs/...`, without an origin. */
export interface Without {
  html: (text: string) => string
  /** Also for llms.txt. */
  markdown: (text: string) => string
  /** For llms-full.txt, whose pages come one after the other. */
  full: (text: string) => string
  search: (index: string) => string
}

const same: Clean = (text) => text
/** As in web/docs/search-index.ts. */
const FIELDS = ['title', 'names', 'within', 'text', 'code']
const DIVIDER = '\n\n---\n\n'

/** Removes the hidden pages' entries in navigation, lists and tables. In running text, links to them become their words.
 * `clean` is for what search shows of a section: one of which nothing is left goes, too. */
export function withoutPages(hidden: ReadonlySet<string>, clean: Clean = same): Without {
  if (hidden.size === 0) return { html: same, markdown: same, full: same, search: same }
  const path = `(?:${[...hidden].map((one) => one.replaceAll('/', '\\/')).join('|')})`
  const html = new RegExp(`<a href="${path}(?:#[^"]*)?"[^>]*>([\\s\\S]*?)</a>`, 'g')
  const entry = new RegExp(
    `<li><a href="${path}"[^>]*>(?:(?!</a>)[\\s\\S])*</a></li>|<tr>\\s*<td[^>]*><a href="${path}"[\\s\\S]*?</tr>`,
    'g',
  )
  const neighbor = new RegExp(`<a href="${path}" rel="(?:prev|next)"[\\s\\S]*?</a>`, 'g')
  const line = new RegExp(`^(?:- |\\| )\\[[^\\]]*\\]\\(%ORIGIN%${path}\\.md\\).*\\n?`, 'gm')
  const link = new RegExp(`\\[([^\\]]*)\\]\\(%ORIGIN%${path}(?:\\.md)?(?:#[^)]*)?\\)`, 'g')
  const address = new RegExp(`^> Address: %ORIGIN%${path} `, 'm')
  const markdown = (text: string): string => text.replaceAll(line, '').replaceAll(link, '$1')
  return {
    html: (text) => text.replaceAll(entry, '').replaceAll(neighbor, '<span></span>').replaceAll(html, '$1'),
    markdown,
    full: (text) =>
      markdown(
        text
          .split(DIVIDER)
          .filter((page) => !address.test(page) && !hidden.has(page.slice(2, -2)))
          .join(DIVIDER),
      ),
    search(text) {
      const stored = JSON.parse(text) as { storedFields: Record<string, { id: string; text: string }> }
      const gone = new Set<string>()
      for (const section of Object.values(stored.storedFields)) {
        const left = clean(section.text)
        if (hidden.has(section.id.replace(/#.*/, '')) || (left === '' && section.text !== '')) gone.add(section.id)
        section.text = left
      }
      const index = MiniSearch.loadJS(stored as never, { fields: FIELDS })
      index.discardAll([...gone])
      return JSON.stringify(index)
    },
  }
}
