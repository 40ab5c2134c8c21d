import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { expect, test } from 'vitest'
import { type Found, findSections, indexOptions, marked, snippetOf } from '../../web/docs/search-index.ts'

/** What `npm run build:web` wrote; `npm test` builds first. */
const text = readFileSync(join(import.meta.dirname, '../../dist/docs/docs/search.json'), 'utf8')
const index = MiniSearch.loadJSON(text, indexOptions)
const find = (query: string) => findSections(index, query)
const pageOf = ({ id }: Found) => id.replace(/#.*/, '')

/** What developers type, and the page that they want; written down before the ranking was changed. */
const queries: [query: string, ...pages: string[]][] = [
  ['receipt', '/docs/credits-and-limits'],
  ['rate limit', '/docs/credits-and-limits', '/docs/errors/rate_limited'],
  ['429', '/docs/errors/rate_limited'],
  ['idempotency', '/docs/credits-and-limits'],
  ['api key', '/docs/authentication'],
  ['rotate key', '/docs/authentication'],
  ['csv', '/docs/formats-and-paging'],
  ['mcp claude', '/docs/mcp-clients'],
  ['webhook signature', '/docs/webhooks'],
  ['pagination', '/docs/formats-and-paging'],
  ['credits left', '/docs/credits-and-limits', '/docs/reference/get_usage'],
  ['refund', '/docs/faq', '/docs/pricing'],
  ['python', '/docs/getting-started', '/docs/faq'],
  ['get_bars', '/docs/reference/get_bars'],
  ['sell my api', '/sell'],
  ['402', '/docs/errors/insufficient_credits', '/docs/errors/key_budget_exceeded', '/docs/errors/payment_required'],
  ['oauth', '/docs/mcp-sign-in'],
  ['next_cursor', '/docs/formats-and-paging'],
  ['google sheets', '/docs/spreadsheets'],
  ['demo key', '/docs/authentication'],
  ['charged twice', '/docs/credits-and-limits'],
  ['parquet', '/docs/formats-and-paging'],
  ['insufficient_credits', '/docs/errors/insufficient_credits'],
  ['historical prices', '/docs/reference/get_bars'],
  ['income statement', '/docs/reference/get_financials'],
  ['exchange rate', '/docs/reference/get_fx_rates', '/docs/reference/convert_currency'],
  ['docker', '/docs/self-hosting'],
  ['free trial', '/docs/faq', '/docs/pricing'],
  ['quickstart', '/docs/getting-started'],
  ['bearer token', '/docs/authentication'],
  // Mistyped, or in the plural.
  ['authentification', '/docs/authentication'],
  ['idempotancy key', '/docs/credits-and-limits'],
  ['webhoks', '/docs/webhooks'],
  ['receipts', '/docs/credits-and-limits'],
  ['leaked keys', '/docs/faq', '/docs/authentication'],
  // In another order.
  ['signature webhook', '/docs/webhooks'],
  ['claude mcp', '/docs/mcp-clients'],
  ['code claude', '/docs/mcp-clients'],
  ['limit rate', '/docs/credits-and-limits', '/docs/errors/rate_limited'],
  ['symbols find', '/docs/reference/search_symbols'],
]

test.each(queries)('%s', (query, ...pages) => {
  expect(pages).toContain(pageOf(find(query)[0]!))
})

test('what every endpoint says of receipts comes after the pages about them', () => {
  const pages = find('receipt').map(pageOf)
  expect(pages.length).toBeGreaterThan(2)
  expect(pages.filter((page) => page.startsWith('/docs/reference/'))).toEqual([])
})

test('no result shows code, and none is a heading that all endpoints have', () => {
  const { storedFields } = JSON.parse(text) as { storedFields: Record<string, Found> }
  const all = Object.values(storedFields)
  expect(all.length).toBeGreaterThan(150)
  for (const { id, text: prose } of all)
    expect([id, prose]).not.toEqual([id, expect.stringMatching(/[{,]\s*"\w+":|```|\]\(|curl /)])
  expect(all.filter(({ id }) => /\/(reference|errors)\/\w+#/.test(id))).toEqual([])
})

test('without a section that has all words, those that have some are found; at most three of one page', () => {
  expect(find('refund policy for weekend orders').map(pageOf)[0]).toBe('/docs/faq')
  expect(find('zzzqqq')).toEqual([])
  const counts = Map.groupBy(find('credits'), pageOf)
  expect(Math.max(...[...counts.values()].map(({ length }) => length))).toBe(3)
})

test('a snippet begins at the sentence with the words, which are marked in either number', () => {
  const prose = `${'Other things come first. '.repeat(12)}Each receipt has an ID. ${'More follows here. '.repeat(12)}`
  const found = { text: prose, terms: ['receipt', 'id'] }
  expect(snippetOf(found)).toMatch(/^Each receipt has an ID\. More follows .*…$/)
  expect(snippetOf(found).length).toBeLessThan(152)
  expect(marked('Receipts, not receivers', found.terms)).toEqual([
    { text: 'Receipts', hit: true },
    { text: ', not receivers', hit: false },
  ])
  expect(snippetOf({ text: 'Nothing of it.', terms: ['receipt'] })).toBe('Nothing of it.')
})
