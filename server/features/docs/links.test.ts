import { expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'

const server = await closeAfterTests(startTestServer({}))

interface Link {
  from: string
  to: URL
}

const linksOf = (html: string, from: string): Link[] =>
  [...html.matchAll(/<(?:a|link)\b[^>]*?\shref="([^"]+)"/g)].map(([, href]) => ({
    from,
    to: new URL(href!.replaceAll('&amp;', '&'), server.url + from),
  }))

const markdownLinksOf = (text: string, from: string): Link[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href]) => ({ from, to: new URL(href!, server.url + from) }))

/** Follows every link to this server from the public pages, their Markdown and llms.txt, each URL once. */
async function crawl() {
  const waiting: Link[] = [
    '/',
    '/docs',
    '/docs/pricing',
    '/docs/faq',
    '/docs/getting-started',
    '/demo',
    '/sell',
    '/llms.txt',
  ].map((path) => ({ from: 'the start', to: new URL(server.url + path) }))
  const headings = new Map<string, Set<string>>()
  const seen = new Set<string>()
  const toHeadings: Link[] = []
  const twins: string[] = []
  const broken: string[] = []
  for (let link = waiting.pop(); link; link = waiting.pop()) {
    const { from, to } = link
    if (to.origin !== server.url) continue
    if (to.hash !== '') toHeadings.push(link)
    if (seen.has(to.pathname)) continue
    seen.add(to.pathname)
    const answer = await fetch(server.url + to.pathname)
    const text = await answer.text()
    if (answer.status !== 200) broken.push(`${from} -> ${to.pathname}: ${answer.status}`)
    const type = answer.headers.get('content-type') ?? ''
    if (type.startsWith('text/html')) {
      headings.set(to.pathname, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!)))
      waiting.push(...linksOf(text, to.pathname))
    }
    if (type.startsWith('text/markdown')) twins.push(to.pathname)
    if (/^text\/(markdown|plain)/.test(type)) waiting.push(...markdownLinksOf(text, to.pathname))
  }
  for (const { from, to } of toHeadings) {
    const known = headings.get(to.pathname)
    if (known && !known.has(decodeURIComponent(to.hash.slice(1)))) broken.push(`${from} -> ${to.pathname}${to.hash}`)
  }
  return { pages: [...headings.keys()], twins, toHeadings, broken }
}

test('every link of the public pages and of their Markdown leads to a page, and to a heading where it names one', async () => {
  const { pages, twins, toHeadings, broken } = await crawl()
  expect(broken).toEqual([])
  // Proof that links were followed: guides, reference and a page for every error, each with its own content.
  expect(pages).toEqual(
    expect.arrayContaining(['/docs/getting-started', '/docs/reference/get_bars', '/docs/errors/conflict']),
  )
  expect(twins).toEqual(
    expect.arrayContaining(['/docs.md', '/docs/pricing.md', '/docs/faq.md', '/docs/getting-started.md']),
  )
  expect(toHeadings.length).toBeGreaterThan(100)
})
