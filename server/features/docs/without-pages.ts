import MiniSearch from 'minisearch'

/** Takes pages out of what the build wrote. Paths are `/docs/...`, without an origin. */
export interface Without {
  html: (text: string) => string
  /** Also for llms.txt. */
  markdown: (text: string) => string
  /** For llms-full.txt, whose pages come one after the other. */
  full: (text: string) => string
  search: (index: string) => string
}

const same = (text: string): string => text
const DIVIDER = '\n\n---\n\n'

/** Removes the hidden pages' entries in navigation, lists and tables. In running text, links to them become their words.
 * Sections of the search index go, too, if `isGone` says so of what they show. */
export function withoutPages(hidden: ReadonlySet<string>, isGone: (excerpt: string) => boolean = () => false): Without {
  if (hidden.size === 0) return { html: same, markdown: same, full: same, search: same }
  const path = `(?:${[...hidden].map((one) => one.replaceAll('/', '\\/')).join('|')})`
  const html = new RegExp(`<a href="${path}(?:#[^"]*)?"[^>]*>([\\s\\S]*?)</a>`, 'g')
  const entry = new RegExp(
    `<li><a href="${path}"[^>]*>[^<]*</a></li>|<tr>\\s*<td[^>]*><a href="${path}"[\\s\\S]*?</tr>`,
    'g',
  )
  const neighbor = new RegExp(`<a href="${path}" class="min-w-0 rounded-control p-1[\\s\\S]*?</a>`, 'g')
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
      const index = MiniSearch.loadJSON<{ id: string }>(text, {
        fields: ['name', 'page', 'section', 'text'],
      })
      const { storedFields } = JSON.parse(text) as { storedFields: Record<string, { id: string; excerpt: string }> }
      const gone = Object.values(storedFields).filter(
        ({ id, excerpt }) => hidden.has(id.replace(/#.*/, '')) || isGone(excerpt),
      )
      index.discardAll(gone.map(({ id }) => id))
      return JSON.stringify(index)
    },
  }
}
