import { Script } from 'node:vm'
import { marked } from 'marked'
import MiniSearch from 'minisearch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSections, indexOptions } from '../../../web/docs/search-index.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { addVersion } from '../upstreams/add-version.ts'
import { prepareVersion } from '../upstreams/prepare-version.ts'
import { parseManifest } from '../upstreams/read-manifest.ts'
import { removeUpstream } from '../upstreams/remove.ts'

let second: TestServer
const server = await closeAfterTests(startTestServer())
beforeAll(async () => {
  second = await startTestServer({ databaseUrl: server.databaseUrl })
})
afterAll(async () => {
  await second?.close()
})

const get = (path: string, headers: Record<string, string> = {}, at = server) => fetch(at.url + path, { headers })
const textAt = async (path: string, at = server) => (await get(path, {}, at)).text()
const statusAt = async (path: string, at = server) => (await get(path, { accept: 'text/html' }, at)).status

const json = (schema: object, more: object = {}) => ({
  description: 'ok',
  content: { 'application/json': { schema, ...more } },
})
const hostile =
  '<script>alert(1)</script> <img src=x onerror=alert(2)> [click](javascript:alert(3)) ![x](javascript:alert(4)) ``` </code></pre> ' +
  '%ORIGIN% {{upstreams}} | a\u202Eb\u200B &#106;avascript: <javascript:alert(5)> <div data-if="SANDBOX">x</div>\n\n## Not a heading\n\n> no\n\n- no\n\n' +
  'long '.repeat(400)

const document = (more: object = {}) =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Acme prices', version: '1' },
    paths: {
      '/prices/{symbol}': {
        get: {
          operationId: 'getPrice',
          summary: 'Last price of a symbol',
          description: 'The last price. It is at most a minute old.',
          parameters: [
            { name: 'symbol', in: 'path', required: true, example: 'ACME', schema: { type: 'string' } },
            {
              name: 'days',
              in: 'query',
              description: 'How many days',
              schema: { type: 'integer', minimum: 1, default: 5 },
            },
          ],
          responses: {
            200: json({ type: 'object', properties: { price: { type: 'number' } } }, { example: { price: 12.5 } }),
          },
        },
      },
      '/orders/{id}': {
        put: {
          operationId: 'changeOrder',
          summary: 'Change an order',
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
            { name: 'X-Mode', in: 'header', required: true, schema: { type: 'string', enum: ['dry', 'wet'] } },
          ],
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
            required: true,
          },
          responses: { 200: json({ $ref: '#/components/schemas/Order' }) },
        },
      },
      ...more,
    },
    components: {
      schemas: {
        Order: {
          type: 'object',
          required: ['count'],
          properties: { count: { type: 'integer' }, next: { $ref: '#/components/schemas/Order' } },
        },
      },
    },
  })

async function publish(id: string, manifest: object = {}, described = document()) {
  const parsed = parseManifest({
    id,
    kind: 'openapi',
    document: 'acme.json',
    base: 'http://127.0.0.1:9/v2',
    private_hosts: ['127.0.0.1'],
    defaults: { credits: 1 },
    ...manifest,
  })
  await addVersion(server.db.kysely, await prepareVersion(parsed, described, {}, server.deps.tools), false)
}
const remove = (id: string) => removeUpstream(server.db.kysely, id)

test('what is published has pages at every server, and none when it is removed', async () => {
  const before = { list: await get('/docs/reference'), map: await textAt('/sitemap.xml') }
  expect(await statusAt('/docs/reference/acme_get_price')).toBe(404)
  await publish('acme', {
    operations: {
      getPrice: { credits: { rows: '/items', per: 100, credits: 2, most: 40 } },
      changeOrder: { credits: 3, plans: ['Pro', 'Team'] },
    },
  })
  for (const at of [server, second]) await expect.poll(() => statusAt('/docs/reference/acme_get_price', at)).toBe(200)
  // Without the places at which an address may break.
  const page = (await textAt('/docs/reference/acme_get_price')).replaceAll('<wbr>', '')
  for (const part of [
    '<title>Last price of a symbol · Finmeter</title>',
    'It is at most a minute old.',
    'GET /v1/acme/prices/{symbol}',
    '2 credits per 100 rows, rounded up, 40 credits at most',
    `${server.url}/v1/acme/prices/ACME`,
    'data-language="python"',
    'name="days"',
    'id="as-an-mcp-tool"',
    '12.5',
    'id="terms"',
    '/docs/errors/upstream_failed',
  ])
    expect(page).toContain(part)
  expect(page).not.toMatch(/%[A-Z_]+%|data-upstreams|\{\{/)
  expect(await statusAt('/docs/reference/acme_get_price/')).toBe(200)

  const change = await textAt('/docs/reference/acme_change_order.md')
  expect(change).toContain(`curl -X PUT "${server.url}/v1/acme/orders/1"`)
  expect(change).toContain(`-H "x-mode: dry"`)
  expect(change).toContain(`-d '{"count":1}'`)
  expect(change).toContain('| Plans | Pro, Team |')
  expect(change).toContain('[not_entitled]')
  expect(change).toContain('> PUT /v1/acme/orders/{id}')
  expect(change).not.toContain('unknown_symbol')
  expect(await (await get('/openapi.json')).json()).not.toHaveProperty([
    'paths',
    '/v1/acme/prices/{symbol}',
    'get',
    'responses',
    '404',
  ])

  const upstream = await textAt('/docs/upstreams/acme')
  expect(upstream).toContain('2 operations below /v1/acme/, with prices.')
  expect(upstream).toContain('href="/docs/reference/acme_change_order"')
  const guide = await textAt('/docs/getting-started')
  expect(guide.match(/href="\/docs\/reference\/acme_get_price"/g)).toHaveLength(2)
  const list = await get('/docs/reference')
  expect(await list.text()).toContain('<code>PUT /v1/acme/orders/{id}</code>')
  expect(list.headers.get('etag')).not.toBe(before.list.headers.get('etag'))
  expect((await get('/docs/reference', { 'if-none-match': list.headers.get('etag')! })).status).toBe(304)
  expect(await textAt('/docs/reference.md')).toContain('## Acme prices')

  const index = MiniSearch.loadJSON(await textAt('/docs/search.json'), indexOptions)
  expect(findSections(index, 'acme_get_price')[0]).toMatchObject({ id: '/docs/reference/acme_get_price' })
  expect(await textAt('/llms.txt')).toContain(
    `## Acme prices\n\n- [Acme prices](${server.url}/docs/upstreams/acme.md): `,
  )
  expect(await textAt('/llms-full.txt')).toContain('# Last price of a symbol')
  expect(await textAt('/sitemap.xml')).toContain(`<loc>${server.url}/docs/reference/acme_get_price</loc>`)
  const asked = await get('/docs/reference/acme_get_price', { accept: 'text/markdown' })
  expect(asked.headers.get('content-type')).toBe('text/markdown; charset=utf-8')

  await remove('acme')
  for (const at of [server, second]) await expect.poll(() => statusAt('/docs/reference/acme_get_price', at)).toBe(404)
  expect(await statusAt('/docs/upstreams/acme')).toBe(404)
  expect((await get('/docs/reference')).headers.get('etag')).toBe(before.list.headers.get('etag'))
  expect(await textAt('/sitemap.xml')).toBe(before.map)
})

test('a page changes with the version, and its ETag with it', async () => {
  await publish('terms', { operations: { getPrice: { credits: 1 } } })
  await expect.poll(() => statusAt('/docs/reference/terms_get_price')).toBe(200)
  const first = await get('/docs/reference/terms_get_price')
  await publish('terms', { operations: { getPrice: { credits: 7 } } })
  await expect.poll(() => textAt('/docs/reference/terms_get_price')).toContain('7 credits per call')
  const second = await get('/docs/reference/terms_get_price', { 'if-none-match': first.headers.get('etag')! })
  expect(second.status).toBe(200)
  await remove('terms')
})

const IMAGE = '<img src=x onerror=alert(1)>'

test('a response schema that says nothing but its type is left out', async () => {
  const ping = { get: { operationId: 'ping', summary: 'Ping', responses: { 200: json({ type: 'object' }) } } }
  await publish('bare', {}, document({ '/ping': ping }))
  await expect.poll(() => statusAt('/docs/reference/bare_ping')).toBe(200)
  expect(await textAt('/docs/reference/bare_ping.md')).not.toContain('Response schema')
  expect(await textAt('/docs/reference/bare_get_price.md')).toContain('## Response schema')
  await remove('bare')
})

test('names, values and limits of a description are text too, however they break out of cells and code', async () => {
  const parameter = (name: string, schema: object) => ({ name, in: 'query', schema })
  await publish(
    'sly',
    {},
    document({
      '/sly': {
        get: {
          operationId: 'sly',
          summary: 'Sly',
          parameters: [
            parameter(`a\\|${IMAGE}`, { type: 'string' }),
            parameter('b', { type: 'string', enum: ['', `\`${IMAGE}`] }),
            parameter('c', { type: 'string', enum: [`\\|${IMAGE}`], default: `\\|${IMAGE}` }),
            parameter('d', { type: 'object', properties: { [`\\|${IMAGE}`]: {}, '': {} } }),
          ],
          responses: { 200: json({ type: 'object' }) },
        },
      },
    }),
  )
  await expect.poll(() => statusAt('/docs/reference/sly_sly')).toBe(200)
  const html = await textAt('/docs/reference/sly_sly')
  expect(html).toContain('&lt;img')
  expect(html).not.toContain('<img')
  expect(await marked.parse(await textAt('/docs/reference/sly_sly.md'))).not.toContain('<img')
  await remove('sly')
})

test('a description is text: no markup, link or hidden character of it reaches a page', async () => {
  await publish(
    'evil',
    { name: '<b>[E](javascript:0)</b>', defaults: { credits: 1, publish: 'named' }, operations: { x: { credits: 1 } } },
    document({
      '/`<i>|/{a}': {
        get: {
          operationId: 'x',
          summary: hostile,
          description: hostile,
          parameters: [
            {
              name: 'a',
              in: 'path',
              required: true,
              description: hostile,
              schema: { type: 'string', enum: [hostile, '`|`'] },
            },
            {
              name: 'b',
              in: 'query',
              description: hostile,
              schema: { type: 'string', default: hostile, title: hostile },
            },
          ],
          responses: { 200: json({ type: 'object', description: hostile }, { example: { a: hostile } }) },
        },
      },
    }),
  )
  await expect.poll(() => statusAt('/docs/reference/evil_x')).toBe(200)
  const harmless = await textAt('/docs/reference/get_bars')
  const tags = (html: string) => new Set([...html.matchAll(/<([a-z][\w-]*)/gi)].map(([, tag]) => tag!.toLowerCase()))
  for (const path of ['/docs/reference/evil_x', '/docs/upstreams/evil', '/docs/reference']) {
    const html = await textAt(path)
    for (const tag of tags(html))
      expect([path, tag, tags(harmless).has(tag) || tag === 'textarea']).toEqual([path, tag, true])
    expect(/<script>alert|<img|(href|src)="?\s*javascript/i.test(html)).toBe(false)
    expect(/[\u202E\u200B]/.test(html)).toBe(false)
    expect(html).not.toContain('id="not-a-heading"')
    const scripts = [...html.matchAll(/<script(?![^>]*src=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, code]) => code!)
    expect(scripts).toHaveLength(1)
    expect(() => new Script(scripts[0]!)).not.toThrow()
  }
  for (const path of ['/docs/reference/evil_x.md', '/docs/upstreams/evil.md', '/llms.txt', '/docs/reference.md']) {
    const text = await textAt(path)
    // As a reader of Markdown that removes nothing would show it.
    const shown = await marked.parse(text)
    expect([path, /(href|src)="\s*javascript|<(script|img|div|b)\b/i.test(shown)]).toEqual([path, false])
    expect(/[\u202E\u200B]/.test(text)).toBe(false)
  }
  await remove('evil')
})
