import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'

/** What `npm run build:web` wrote; `npm test` builds first. */
const built = JSON.parse(readFileSync(join(import.meta.dirname, '../../../dist/docs/pages.json'), 'utf8')) as string[]
/** Those about payments by agents are served only where these are on. */
const ofPayments = /^\/docs\/(agent-payments|errors\/payment_)/
const paths = built.filter((path) => !ofPayments.test(path))

const server = await closeAfterTests(
  startTestServer({ env: { SOCIAL_GITHUB: 'https://github.com/acme?a=1&b=2', SANDBOX: 'off' } }),
)
beforeAll(async () => {
  await server.db.pool.query(
    `insert into plans (price_id, product_id, name, description, price_cents, currency, interval, active, features, metadata, type, credits, rate_limit_per_minute, position)
     values ('price_pro', 'prod_pro', 'Pro', 'For every day.', 1900, 'usd', 'month', true, '{100000 requests per month}', '{"trial_days": "14"}', 'paid', 100000, 1200, 5)`,
  )
})

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers })

test('the guides, the reference and a page for every error are there', () => {
  for (const path of [
    '/docs/getting-started',
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

test('every page is served with and without a trailing slash and as Markdown, without unfilled placeholders', async () => {
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

test('one address answers as HTML or as Markdown, as the client asks', async () => {
  for (const path of [
    '/docs',
    '/docs/',
    '/docs/pricing',
    '/docs/faq/',
    '/docs/getting-started',
    '/sell',
    '/sell/',
    '/docs/reference/get_bars/',
  ]) {
    const twin = await get(`${path.replace(/\/$/, '')}.md`)
    const markdown = await get(path, { accept: 'text/markdown, text/html;q=0.9' })
    expect([path, markdown.status, markdown.headers.get('content-type')]).toEqual([
      path,
      200,
      'text/markdown; charset=utf-8',
    ])
    expect(await markdown.text()).toBe(await twin.text())
    const html = await get(path, { accept: 'text/html, text/markdown;q=0.9' })
    expect([path, html.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8'])
    for (const answer of [markdown, html]) expect(answer.headers.get('vary')?.split(', ')).toContain('accept')
  }
  const page = await get('/dashboard', { accept: 'text/markdown' })
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const head = await fetch(`${server.url}/docs/faq`, { method: 'HEAD', headers: { accept: 'text/markdown' } })
  expect(head.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
})

describe('pages of the application as Markdown', () => {
  const twin = async (path: string) => {
    const answer = await get(`${path}.md`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    const markdown = await answer.text()
    expect(markdown).toContain(`\n> Address: ${server.url}${path} · Index of all pages: ${server.url}/llms.txt\n`)
    expect(markdown).not.toMatch(/%[A-Z_]+%|\{\{|undefined|\]\(\//)
    const page = await (await get(path)).text()
    expect(page).toMatch(new RegExp(`<link rel="alternate" type="text/markdown" href="${server.url}${path}.md" ?/>`))
    return markdown
  }

  test('the landing page links to the Markdown of the others', async () => {
    const markdown = await twin('/docs')
    expect(markdown).toMatch(/^# Documentation\n\n> .+/)
    expect(markdown).toContain(`- [Quick Start](${server.url}/docs/getting-started.md): `)
    for (const page of ['pricing', 'faq', 'webhooks', 'reference/get_bars'])
      expect(markdown).toContain(`](${server.url}/docs/${page}.md): `)
    expect(markdown).toContain(`curl "${server.url}/v1/series/OIL.WTI?range=1mo"`)
  })

  test('the four steps, with a first request in four languages', async () => {
    const markdown = await twin('/docs/getting-started')
    expect(markdown.match(/^## \d.*$/gm)).toEqual([
      '## 1. Create an account via GitHub',
      '## 2. Choose a plan',
      '## 3. Generate an API key',
      '## 4. Make your first request',
    ])
    expect(markdown).toContain('- Free tier: 1,000 requests/month\n- Pro: $19/month with 100,000 requests\n')
    expect(markdown).toContain(
      `curl "${server.url}/v1/series/OIL.WTI?range=1mo" \\\n  -H "Authorization: Bearer YOUR_API_KEY"`,
    )
    expect(markdown.match(/^```\w+$/gm)).toEqual([
      ...['```bash', '```typescript', '```python', '```bash'],
      '```json',
      '```http',
    ])
    const html = await (await get('/docs/getting-started')).text()
    expect(html).toContain('<li>Free tier: 1,000 requests/month</li>\n<li>Pro: $19/month with 100,000 requests</li>')
  })

  test('the earlier addresses of the quick start lead to it', async () => {
    for (const [from, to] of [
      ['/docs/quick-start', '/docs/getting-started'],
      ['/docs/quick-start/', '/docs/getting-started'],
      ['/docs/quick-start.md', '/docs/getting-started.md'],
    ] as const) {
      const answer = await fetch(server.url + from, { redirect: 'manual' })
      expect([from, answer.status, answer.headers.get('location')]).toEqual([from, 301, to])
    }
  })

  test('the prices', async () => {
    const markdown = await twin('/docs/pricing')
    expect(markdown.match(/^## .*$/gm)).toEqual([
      '## Free',
      '## Pro',
      '## Pay-as-you-go',
      '## Enterprise',
      '## Questions about pricing',
    ])
    expect(markdown).toContain('**$19 monthly** · Most Popular · 14-day free trial')
    expect(markdown).toContain('Annual: $15.20 monthly, $182.40 billed once a year, saving 20%')
    expect(markdown).toContain('**$0.01 per 100 requests**\n\n$1.00/month minimum')
    expect(markdown).toContain('30-day money-back guarantee')
    expect(markdown).toContain('**Custom** ')
    expect(markdown).not.toContain('Using Fallback Pricing')
  })

  test('the page for operators, with its commands, charges and comparison', async () => {
    const markdown = await twin('/sell')
    expect(markdown.match(/^## .*$/gm)).toEqual([
      '## Three more ways to sell',
      '## What is charged',
      '## What your customers get',
      '## What it costs',
      '## Compared with others',
      '## Not for you if',
    ])
    expect(markdown).toContain(
      'cd finmeter && npm start\nnpm run upstream -- add openapi.yaml --id acme --base https://api.acme.example --price 1\n```',
    )
    expect(markdown).toContain('| Your API fails, times out or sends a broken body | Free |')
    expect(markdown).toContain('| Question | Finmeter | Zuplo | Unkey | Autumn | OpenMeter | Lago |\n| --- |')
    expect(markdown).toContain('Read in August 2026')
  })

  test('five categories of four questions, each with its answer', async () => {
    const markdown = await twin('/docs/faq')
    expect(markdown.match(/^## .*$/gm)).toEqual([
      '## Getting Started',
      '## Billing & Plans',
      '## API Usage',
      '## Security',
      '## Technical Support',
      '## Still need help?',
    ])
    expect(markdown.match(/^### .+\n\n.{20,}$/gm)).toHaveLength(20)
    expect(markdown).toContain(
      '### How many requests does each plan include?\n\nThe Free plan includes 1,000 requests/month and the Pro plan includes 100,000 requests/month at $19/month.',
    )
    expect(markdown).toMatch(/\[Email Support\]\(mailto:[^)\s]+@[^)\s]+\)/)
  })
})

test('the answer about passwords in the Markdown of the FAQ follows the settings', async () => {
  expect(await (await get('/docs/faq.md')).text()).toContain(
    '### Can I log in with a password?\n\nNo. You log in with Google or GitHub, so there is no password to steal.',
  )
  const open = await startTestServer({ env: { AUTH_PASSWORD_SIGNUP: 'on' } })
  expect(await (await fetch(`${open.url}/docs/faq.md`)).text()).toContain(
    '### Can I log in with a password?\n\nYes, in applications that offer it. The login page here offers Google and GitHub.',
  )
  await open.close()
})

test('the Markdown of the application follows the plans within a minute', async () => {
  const read = async (path: string) => (await get(path)).text()
  await server.db.pool.query(`update plans set price_cents = 2900 where price_id = 'price_pro'`)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  try {
    expect(await read('/docs/pricing.md')).toContain('**$29 monthly**')
    expect(await read('/docs/faq.md')).toContain('the Pro plan includes 100,000 requests/month at $29/month')
    expect(await read('/llms-full.txt')).toContain('- Pro: $29/month with 100,000 requests')
  } finally {
    vi.useRealTimers()
    await server.db.pool.query(`update plans set price_cents = 1900 where price_id = 'price_pro'`)
  }
})

test('titles and descriptions are unique', async () => {
  const heads = await Promise.all(
    paths.map(async (path) => /<title>(.*?)<\/title>/.exec(await (await get(path)).text())?.[1]),
  )
  expect(new Set(heads).size).toBe(paths.length)
})

test("the installation's values are filled in, escaped, and missing features are omitted", async () => {
  const html = await (await get('/docs/getting-started')).text()
  expect(html).toContain('href="https://github.com/acme?a=1&amp;b=2"')
  expect(html).not.toContain('Open Discord')
  expect(html).not.toContain('aria-label="Sandbox"')
  expect(html).toContain(`href="${server.url}/docs"`)
})

test('a page is compressed, cached by clients and blocks foreign scripts', async () => {
  const compressed = async (coding: string) => {
    const { statusCode, headers, rawPayload } = await server.app.inject({
      url: '/docs/getting-started',
      headers: { 'accept-encoding': coding },
    })
    expect([statusCode, headers['content-encoding']]).toEqual([200, coding])
    return rawPayload
  }
  const plain = await server.app.inject('/docs/getting-started')
  expect(brotliDecompressSync(await compressed('br')).toString()).toBe(plain.body)
  expect(gunzipSync(await compressed('gzip')).toString()).toBe(plain.body)
  const again = await get('/docs/getting-started', { 'if-none-match': String(plain.headers.etag) })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect(plain.headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^']+';/)
  expect(plain.headers['content-security-policy']).not.toContain("'unsafe-inline' script")
})

test('llms.txt lists every page, llms-full.txt holds them', async () => {
  const index = await (await get('/llms.txt')).text()
  const all = ['/docs/pricing', '/docs/faq', '/sell', ...paths]
  for (const path of all) expect(index).toContain(`(${server.url}${path}.md)`)
  const full = await (await get('/llms-full.txt')).text()
  expect([...full.matchAll(/^> Address: (\S+)/gm)].map(([, address]) => address)).toEqual(
    all.map((path) => server.url + path),
  )
  expect(full).toContain('**$0.01 per 100 requests**')
  expect(full).not.toContain('{{')
})

test('sitemap.xml lists every public page, robots.txt names it and disallows the rest', async () => {
  const sitemap = await (await get('/sitemap.xml')).text()
  for (const path of ['/', '/docs/pricing', '/docs/faq', '/demo', '/sell', ...paths])
    expect(sitemap).toContain(`<loc>${server.url}${path}</loc>`)
  const robots = await (await get('/robots.txt')).text()
  expect(robots).toContain(`Sitemap: ${server.url}/sitemap.xml`)
  expect(robots).toContain('Disallow: /dashboard')
})

test('the icon is also at the default paths', async () => {
  const icon = await get('/favicon.ico')
  expect([icon.status, icon.url, icon.headers.get('content-type')]).toEqual([
    200,
    `${server.url}/icon.png`,
    'image/png',
  ])
})

test('HEAD works for pages, Markdown, lists and health, without a body', async () => {
  const addresses = [
    '/docs/getting-started',
    '/docs/getting-started/',
    '/docs/getting-started.md',
    '/docs/faq.md',
    '/llms.txt',
    '/llms-full.txt',
    '/sitemap.xml',
    '/robots.txt',
    '/docs/search.json',
    '/openapi.json',
    '/healthz',
    '/readyz',
  ]
  for (const address of addresses) {
    const head = await fetch(server.url + address, { method: 'HEAD' })
    const whole = await get(address)
    expect([address, head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      address,
      200,
      whole.headers.get('content-type'),
      '',
    ])
  }
})

test('no URL in llms.txt is followed directly by a period', async () => {
  expect(await (await get('/llms.txt')).text()).not.toMatch(/https?:\/\/[^\s)]*\.(\s|$)/)
})

test('an error of the API names its page, which exists', async () => {
  const problem = (await (await get('/v1/bars/SPX')).json()) as { docs: string }
  expect(problem.docs).toBe('/docs/errors/key_missing')
  expect(paths).toContain(problem.docs)
})

test('pages about payments by agents are not served where none are taken', async () => {
  const theirs = built.filter((path) => ofPayments.test(path))
  expect(theirs.length).toBe(5)
  for (const path of theirs) expect((await get(path)).status).toBe(404)
  expect(await (await get('/docs/errors')).text()).not.toContain('payment_')
})
