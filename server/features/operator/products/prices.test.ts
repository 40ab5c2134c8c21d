import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { addVersion } from '../../upstreams/add-version.ts'
import { findVersion } from '../../upstreams/find-version.ts'
import { prepareVersion } from '../../upstreams/prepare-version.ts'
import { parseManifest } from '../../upstreams/read-manifest.ts'
import { acmeDocument } from '../../upstreams/testing/acme-document.ts'
import { type Loopback, startLoopback } from '../../upstreams/testing/loopback.ts'
import { makeLoadTestAccount } from '../make-load-test-account.ts'
import { openConsole } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const owner = await openConsole(server, 'owner')
const { kysely } = server.db
let upstream: Loopback
beforeAll(async () => {
  upstream = await startLoopback((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"price":1.5,"items":[1,2,3]}'),
  )
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: upstream.url,
    private_hosts: ['127.0.0.1'],
    defaults: { credits: 2 },
    operations: {
      search: { credits: { rows: '/items', per: 2, credits: 5, most: 50 }, description: 'Finds symbols. It is ours.' },
    },
  })
  await addVersion(kysely, await prepareVersion(manifest, acmeDocument, process.env, server.deps.tools), false)
  await vi.waitFor(async () => expect((await priceOf('acme_get_price'))?.credits).toBe(2), 120_000)
})
afterAll(() => upstream.close())

interface Line {
  tool: string
  price: string
  credits: number
  upstream: { version: number } | null
}
const prices = async (): Promise<Line[]> => (await owner.call('GET', '/prices')).body.data.tools
const priceOf = async (tool: string) => (await prices()).find((line) => line.tool === tool)

test('every tool is there with its rule, and the upstream whose operation it is', async () => {
  expect(await priceOf('get_bars')).toMatchObject({ credits: 1, upstream: null })
  expect(await priceOf('acme_get_price')).toEqual({
    tool: 'acme_get_price',
    title: 'Last price of a symbol',
    price: '2 credits per call',
    kind: 'fixed',
    credits: 2,
    most: null,
    upstream: { id: 'acme', title: 'Acme prices', operation: 'getPrice', version: 1 },
  })
  expect(await priceOf('acme_search')).toMatchObject({
    price: '5 credits per 2 rows, rounded up, 50 credits at most',
    kind: 'rows',
    credits: 5,
    most: 50,
  })
  expect((await prices()).length).toBe(server.deps.tools.current().all.length)
})

test('a new price is the next version of the manifest, which is served and charged', async () => {
  const { key } = await makeLoadTestAccount(kysely, server.deps.secrets, 1_000_000)
  const charged = async (path: string) =>
    (await fetch(`${server.url}/v1/acme/${path}`, { headers: { authorization: `Bearer ${key}` } })).headers.get(
      'x-credits-charged',
    )
  expect([await charged('prices/A'), await charged('search?q=a')]).toEqual(['2', '10'])
  const fixed = await owner.act('/prices/acme_get_price', { version: 1, credits: 3, most: null })
  expect([fixed.status, fixed.body.data]).toEqual([200, { upstream: 'acme', version: 2 }])
  const rule = await owner.act('/prices/acme_search', { version: 2, credits: 7, most: 60 })
  expect(rule.body.data).toEqual({ upstream: 'acme', version: 3 })
  await expect.poll(async () => [await charged('prices/A'), await charged('search?q=a')]).toEqual(['3', '14'])
  const { manifest } = (await findVersion(kysely, 'acme', 3))!
  expect(manifest.operations.getPrice).toMatchObject({ credits: 3 })
  expect(manifest.operations.search).toMatchObject({
    credits: { rows: '/items', per: 2, credits: 7, most: 60 },
    description: 'Finds symbols. It is ours.',
  })
  expect((await findVersion(kysely, 'acme', 1))!.manifest.operations.search!.credits).toMatchObject({ credits: 5 })
  const { entries } = (await owner.call('GET', '/log')).body.data
  expect(entries[1]).toMatchObject({
    action: 'price.set',
    target: 'acme_get_price',
    before: { credits: 2, version: 1 },
    after: { credits: 3, version: 2 },
  })
  // For receipts: what it cost since when.
  const noted = async () =>
    (
      await server.db.pool.query(
        `select p.text from tool_prices p join tools t on t.id = p.tool_id where t.name = 'acme_get_price' order by p.since`,
      )
    ).rows.map(({ text }) => text)
  await expect.poll(noted).toEqual(['2 credits per call', '3 credits per call'])
})

test('of two who change prices at once, the second is told; a repeated request is one version', async () => {
  const version = (await priceOf('acme_get_price'))!.upstream!.version
  const [one, other] = await Promise.all([
    owner.act('/prices/acme_get_price', { version, credits: 4, most: null }, '6f1c1b52-5a43-4d8a-9d3f-000000000001'),
    (await openConsole(server, 'owner')).act('/prices/acme_search', { version, credits: 9, most: null }),
  ])
  const [lost] = [one, other].filter(({ status }) => status === 409)
  expect([[one.status, other.status].sort(), lost?.body.versions]).toEqual([
    [200, 409],
    { yours: version, current: version + 1 },
  ])
  const act = { version: version + 1, credits: 6, most: null }
  const again = await Promise.all(
    [1, 2].map(() => owner.act('/prices/acme_get_price', act, '6f1c1b52-5a43-4d8a-9d3f-000000000002')),
  )
  expect(again.map(({ body }) => body.data)).toEqual([1, 2].map(() => ({ upstream: 'acme', version: version + 2 })))
})

test('what cannot be priced here is refused with the reason', async () => {
  const set = async (tool: string, body: object) => {
    const { status, body: refused } = await owner.act(`/prices/${tool}`, {
      version: 1,
      credits: 1,
      most: null,
      ...body,
    })
    return [status, refused.error]
  }
  expect(await set('get_bars', {})).toEqual([400, 'get_bars is a built-in tool, so its price cannot be changed.'])
  expect(await set('acme_none', {})).toEqual([404, 'There is no tool with this name.'])
  expect(await set('acme_get_price', { most: 5 })).toEqual([400, 'most: this price is fixed, so it has no maximum.'])
  expect(await set('acme_search', { credits: 0 })).toMatchObject([400, expect.stringContaining('credits')])
  expect(await set('acme_search', { credits: 1.5 })).toEqual([400, 'credits: must be a whole number'])
  expect(await set('acme_search', { version: 99 })).toEqual([404, 'acme has no version 99.'])
})
