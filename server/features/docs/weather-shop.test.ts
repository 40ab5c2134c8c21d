import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { beforeAll, expect, test, vi } from 'vitest'
import { findSections, indexOptions } from '../../../web/docs/search-index.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'
import { runCommand } from '../../testing/run-admin.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { addVersion } from '../upstreams/add-version.ts'
import { prepareVersion } from '../upstreams/prepare-version.ts'
import { parseManifest } from '../upstreams/read-manifest.ts'

// The documentation of a shop that sells only weather; needs the built web.
const server = await closeAfterTests(startTestServer())
const folder = temporaryFolder()

const example = { city: 'Oslo', days: [{ day: '2026-11-26', low: -4, high: 1 }] }
const document = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: {
    '/forecast': {
      get: {
        operationId: 'forecast',
        summary: 'Forecast for a city',
        description: 'The forecast of the next days. One line for each day.',
        parameters: [
          { name: 'city', in: 'query', required: true, example: 'Oslo', schema: { type: 'string' } },
          { name: 'days', in: 'query', schema: { type: 'integer', default: 5 } },
        ],
        responses: {
          200: { description: 'ok', content: { 'application/json': { schema: { type: 'object' }, example } } },
        },
      },
    },
  },
})

beforeAll(async () => {
  const manifest = parseManifest({
    id: 'weather',
    kind: 'openapi',
    document: 'weather.json',
    base: 'http://127.0.0.1:9/v2',
    private_hosts: ['127.0.0.1'],
    defaults: { credits: 1 },
  })
  await addVersion(server.db.kysely, await prepareVersion(manifest, document, {}, server.deps.tools), false)
  await writeFile(
    join(folder, 'shop.yaml'),
    'name: Northwind Weather\npromise: Forecasts by the call.\nbuiltins: off\n',
  )
  const env = { NODE_ENV: 'test', DATABASE_URL: server.databaseUrl, KEYS_SECRET: 'ab'.repeat(32) }
  expect((await runCommand('shop', ['apply', join(folder, 'shop.yaml')], env)).err).toBe('')
  await server.db.pool.query(
    `insert into plans (price_id, product_id, name, description, price_cents, currency, interval, active, features, metadata, type, credits, rate_limit_per_minute, position)
     values ('price_sky', 'prod_sky', 'Sky <b>', 'For every day.', 700, 'usd', 'month', true, '{}', '{}', 'paid', 5000, 1200, 5)`,
  )
  await vi.waitUntil(
    () => !server.deps.tools.current().get('get_bars') && server.deps.tools.current().get('weather_forecast'),
    { timeout: 120_000 },
  )
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  return () => vi.useRealTimers()
})

/** Without the places at which an address may break. */
const text = async (path: string) => (await (await fetch(server.url + path)).text()).replaceAll('<wbr>', '')
const words = (html: string) => html.replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]+>/g, ' ').replaceAll('&quot;', '"')
const MARKET =
  /OIL\.WTI|AAPL|\bSPX\b|\bVIX\b|\/v1\/(bars|series|quotes|fx)|stock|crude|demonstration data|`demo`|get_bars|\badd\b.*numbers/i

test('the landing page and the quick start show a weather call with its answer, and what is sold', async () => {
  const landing = await text('/docs')
  for (const part of ['/v1/weather/forecast?city=Oslo', '/docs/upstreams/weather', 'Forecast for a city'])
    expect([part, (words(landing) + landing).includes(part)]).toEqual([part, true])
  expect(words(landing)).toMatch(/"high"\s*:\s*1\s/)
  for (const card of ['Quick Start', 'API Reference', 'Authentication']) expect(words(landing)).toContain(card)
  const start = await text('/docs/getting-started')
  expect(words(start)).toContain('/v1/weather/forecast?city=Oslo')
  expect(start).toContain('data-path="/v1/weather/forecast"')
  expect(start).toContain('name="city"')
  expect(start).not.toContain('name="days"')
  expect(start).toContain('<li>Sky &lt;b&gt;: $7/month, with 5,000 credits</li>')
  expect(start).not.toContain('Free tier')
  expect(await text('/docs/getting-started.md')).toMatch(/^- Sky <b>: \$7\/month, with 5,000 credits$/m)
})

test('no page, Markdown, list or search speaks of market data', async () => {
  const sitemap = await text('/sitemap.xml')
  const paths = [...sitemap.matchAll(/<loc>[^<]*?(\/docs[^<]*)<\/loc>/g)].map(([, path]) => path!)
  expect(paths).toEqual(expect.arrayContaining(['/docs', '/docs/getting-started', '/docs/reference/weather_forecast']))
  const all = [...paths.filter((path) => !path.startsWith('/docs/errors')), '/docs/pricing', '/docs/faq']
  const left: [string, string][] = []
  for (const path of [...all, ...all.map((one) => `${one}.md`), '/llms.txt']) {
    const found = MARKET.exec(words(await text(path)))
    if (found) left.push([path, found[0]])
  }
  expect(left).toEqual([])
  for (const path of ['/docs/formats-and-paging', '/docs/reference/get_bars', '/docs/self-hosting'])
    expect([path, (await fetch(server.url + path)).status]).toEqual([path, 404])
  const full = await text('/llms-full.txt')
  expect(full.match(/^> Address: \S+\/docs\/getting-started /gm)).toHaveLength(1)
  expect(full).toContain('/v1/weather/forecast?city=Oslo')
  expect(full.split('\n\n---\n\n').filter((page) => MARKET.test(page) && !/\/docs\/errors/.test(page))).toEqual([])
})

test('the guide to spreadsheets makes a call that is sold, and says its price', async () => {
  const guide = await text('/docs/spreadsheets.md')
  expect(guide).toMatch(/\[Forecast for a city\]\(\S+\/docs\/reference\/weather_forecast\S*\) costs 1 credit per call/)
  expect(guide).toContain(`Web.Contents("${server.url}/v1/weather/forecast?city=Oslo"`)
  expect(guide).toContain(`UrlFetchApp.fetch("${server.url}/v1/weather/forecast?city=Oslo"`)
  expect(guide).toContain('=WEATHER_FORECAST()')
  expect(guide).not.toMatch(/FINMETER|IMPORTDATA/)
})

test('llms.txt says what the plans cost', async () => {
  const list = await text('/llms.txt')
  expect(list).toMatch(/^- \[Pricing\]\(\S+\/docs\/pricing\.md\): .*Sky <b>: \$7\/month, with 5,000 credits/m)
  expect(list).not.toMatch(/free trial|money-back|Enterprise|with the number of requests/)
})

test('search finds what is sold and nothing for operators', async () => {
  const stored = await text('/docs/search.json')
  const index = MiniSearch.loadJSON(stored, indexOptions)
  expect(findSections(index, 'forecasts')[0]).toMatchObject({ id: '/docs/reference/weather_forecast' })
  expect(findSections(index, 'quickstart')[0]).toMatchObject({ id: '/docs/getting-started' })
  for (const query of ['sell my api', 'docker', 'get_bars', 'dataset', 'demo key'])
    for (const { id, text: prose } of findSections(index, query)) {
      expect(id).not.toMatch(/^\/(sell|docs\/(self-hosting|own-data|command-line|reference\/get_bars))/)
      if (!id.startsWith('/docs/errors')) expect([id, MARKET.exec(prose)?.[0]]).toEqual([id, undefined])
    }
})
