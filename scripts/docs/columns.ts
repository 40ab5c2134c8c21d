import type { DocsColumns } from '../../web/docs/page.ts'

/**
 * A reference page in parts: request and response next to the parameters, which become a form. Throws if the page has no
 * request or parameters.
 */
export function columnsOf(html: string): DocsColumns {
  const { intro, take, rest } = sectionsOf(html)
  const request = take('request')
  const parameters = /^(<h2 .*?<\/h2>)\n?(?:<div class="docs-table".*?<\/div>|<p>None\.<\/p>)?([\s\S]*)$/.exec(
    take('parameters'),
  )
  if (!request || !parameters) throw new Error('A page with a form needs a request and parameters.')
  const [, heading = '', notes = ''] = parameters
  const sample = withoutHeading(take('response'))
  return { intro, heading, notes, request, sample, rest: rest() }
}

/** The request and the response of a page as code, without headings and what is said of them. */
export function callOf(html: string): { request: string; response: string } {
  const { take } = sectionsOf(html)
  const code = (id: string) => withoutHeading(take(id)).replaceAll(/^<p>.*<\/p>\n?/gm, '')
  return { request: code('request'), response: code('response') }
}

const withoutHeading = (section: string): string => section.replace(/^<h2 .*?<\/h2>\n?/, '')

function sectionsOf(html: string) {
  const [intro = '', ...sections] = html.split(/(?=<h2 id=")/)
  const take = (id: string): string => {
    const index = sections.findIndex((section) => section.startsWith(`<h2 id="${id}">`))
    return index === -1 ? '' : sections.splice(index, 1)[0]!
  }
  return { intro, take, rest: () => sections.map((section) => `<section>${section}</section>`).join('') }
}
