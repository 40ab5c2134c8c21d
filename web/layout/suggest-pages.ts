import { loadSearch } from '../docs/search.ts'
import { pageHeadings } from '../lib/page-headings.ts'
import { type Suggestion, usualPages } from './suggestion.ts'

const MOST = 3

/**
 * Three pages that exist and are named most like this address. `signedIn`: the dashboard's pages are among them. Throws if the index of
 * the documentation cannot be loaded.
 */
export async function suggestPages(path: string, signedIn: boolean): Promise<readonly Suggestion[]> {
  const words = path.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const { find } = await loadSearch()
  // Endpoints are named by their tool: get-bar is get_bars.
  const tool = path.split('/').at(-1)!.replaceAll('-', '_')
  const documented = [tool, words.filter((word) => word !== 'docs').join(' ')]
    .flatMap(find)
    .map(({ id, page }) => ({ href: id.replace(/#.*/, ''), title: page }))
  const all = [...alike([...usualPages, ...(signedIn ? screens : [])], words), ...documented, ...usualPages]
  return all.filter(({ href }, at) => all.findIndex((one) => one.href === href) === at).slice(0, MOST)
}

const screens: readonly Suggestion[] = Object.entries(pageHeadings)
  .filter(([route]) => !route.includes('$'))
  .map(([route, { title }]) => ({ href: route, title }))

/** Pages whose last word begins like a word of the address, or the other way round. */
function alike(pages: readonly Suggestion[], words: readonly string[]): Suggestion[] {
  return pages.filter(({ href }) => {
    const name = href.match(/[a-z]+/g)?.at(-1) ?? ''
    return words.some((word) => word.length > 2 && name !== 'docs' && name !== 'dashboard' && near(word, name))
  })
}

/** Whether two words differ in one letter at most, or one begins with the other. */
function near(one: string, other: string): boolean {
  if (one.startsWith(other) || other.startsWith(one)) return true
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const [left, right] = [one.slice(at), other.slice(at)]
  return left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1)
}
