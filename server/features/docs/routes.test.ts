import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'

/** What `npm run build:web` wrote; `npm test` builds first. */
const paths = JSON.parse(readFileSync(join(import.meta.dirname, '../../../dist/docs/pages.json'), 'utf8')) as string[]

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { SOCIAL_GITHUB: 'https://github.com/acme?a=1&b=2', SANDBOX: 'off' } })
})
afterAll(() => server?.close())

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers })

test('the guides, the reference and a page for every error are there', () => {
  for (const path of [
    '/docs/quick-start',
    '/docs/authentication',
    '/docs/credits-and-limits',
    '/docs/errors',
    '/docs/mcp-clients',
    '/docs/self-hosting',
    '/docs/reference',
    '/docs/reference/get_bars',
    '/docs/reference/add',
    '/docs/errors/insufficient_credits',
  ])
    expect(paths).toContain(path)
})

test('every page answers in both slash forms and as Markdown, without a mark left open', async () => {
  for (const path of paths) {
    for (const address of [path, `${path}/`]) {
      const page = await get(address)
      expect([address, page.status, page.headers.get('content-type')]).toEqual([
        address,
        200,
        'text/html; charset=utf-8',
      ])
      const html = await page.text()
      expect(html).not.toMatch(/%[A-Z_]+%|data-if="SANDBOX"/)
      expect(html).toContain(`<link rel="canonical" href="${server.url}${path}"/>`)
      expect(html).toMatch(/<title>[^<]+ · Finmeter<\/title><meta name="description" content="[^"]{10,}"/)
    }
    const twin = await get(`${path}.md`)
    expect(twin.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    const markdown = await twin.text()
    expect(markdown).toMatch(/^# .+\n\n> .+/)
    expect(markdown).not.toMatch(/%[A-Z_]+%|```request|\{\{/)
  }
})

test('titles and descriptions are told apart', async () => {
  const heads = await Promise.all(
    paths.map(async (path) => /<title>(.*?)<\/title>/.exec(await (await get(path)).text())?.[1]),
  )
  expect(new Set(heads).size).toBe(paths.length)
})

test('the installation is filled in, escaped, and what it does not have is left out', async () => {
  const html = await (await get('/docs/quick-start')).text()
  expect(html).toContain('href="https://github.com/acme?a=1&amp;b=2"')
  expect(html).not.toContain('Open Discord')
  expect(html).not.toContain('aria-label="Sandbox"')
  expect(html).toContain(`href="${server.url}/docs"`)
})

test('a page is compressed, kept by clients and forbids foreign scripts', async () => {
  const compressed = async (coding: string) => {
    const { statusCode, headers, rawPayload } = await server.app.inject({
      url: '/docs/quick-start',
      headers: { 'accept-encoding': coding },
    })
    expect([statusCode, headers['content-encoding']]).toEqual([200, coding])
    return rawPayload
  }
  const plain = await server.app.inject('/docs/quick-start')
  expect(brotliDecompressSync(await compressed('br')).toString()).toBe(plain.body)
  expect(gunzipSync(await compressed('gzip')).toString()).toBe(plain.body)
  const again = await get('/docs/quick-start', { 'if-none-match': String(plain.headers.etag) })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect(plain.headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^']+';/)
  expect(plain.headers['content-security-policy']).not.toContain("'unsafe-inline' script")
})

test('llms.txt lists every page, llms-full.txt holds them', async () => {
  const index = await (await get('/llms.txt')).text()
  for (const path of paths) expect(index).toContain(`(${server.url}${path}.md)`)
  const full = await (await get('/llms-full.txt')).text()
  expect(full.match(/^> Address: /gm)).toHaveLength(paths.length)
})

test('sitemap.xml lists every public page, robots.txt names it and keeps crawlers out of the rest', async () => {
  const sitemap = await (await get('/sitemap.xml')).text()
  for (const path of ['/', '/docs', '/docs/pricing', '/docs/faq', '/docs/getting-started', ...paths])
    expect(sitemap).toContain(`<loc>${server.url}${path}</loc>`)
  const robots = await (await get('/robots.txt')).text()
  expect(robots).toContain(`Sitemap: ${server.url}/sitemap.xml`)
  expect(robots).toContain('Disallow: /dashboard')
})

test('an error of the API names its page, which exists', async () => {
  const problem = (await (await get('/v1/bars/SPX')).json()) as { docs: string }
  expect(problem.docs).toBe('/docs/errors/key_missing')
  expect(paths).toContain(problem.docs)
})
