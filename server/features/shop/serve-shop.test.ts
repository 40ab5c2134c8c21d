import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { applyShop, undoShop } from './apply.ts'
import { serveShop } from './serve-shop.ts'
import { shopOf } from './testing/northwind.ts'

let one: TestServer
let other: TestServer
beforeAll(async () => {
  one = await startTestServer()
  other = await startTestServer({ databaseUrl: one.databaseUrl })
})
afterAll(async () => {
  await other?.close()
  await one?.close()
})
beforeEach(async () => {
  await one.db.pool.query('delete from shop; delete from shop_versions')
  await Promise.all([one.deps.shop.look(), other.deps.shop.look()])
})

const names = () => [one, other].map(({ deps }) => deps.shop.current().name)
const bothServe = (name: string) => vi.waitUntil(() => names().every((one) => one === name), { timeout: 120_000 })

test('an installation that nobody named is Finmeter', () => {
  expect(one.deps.shop.current()).toMatchObject({ version: 0, name: 'Finmeter', keyPrefix: 'fm_', logo: null })
})

test('every server takes over what is applied and undone, without being asked', async () => {
  expect(await applyShop(one.db.kysely, shopOf('North'))).toBe(1)
  await bothServe('North')
  expect(await applyShop(one.db.kysely, shopOf('West'))).toBe(2)
  await bothServe('West')
  expect(await undoShop(one.db.kysely)).toBe(1)
  await bothServe('North')
  // What was undone does not come back by a further undo.
  expect(await applyShop(one.db.kysely, shopOf('South'))).toBe(3)
  expect(await undoShop(one.db.kysely)).toBe(1)
  expect(await undoShop(one.db.kysely)).toBeNull()
  await bothServe('Finmeter')
  await expect(undoShop(one.db.kysely)).rejects.toThrow('There is nothing to undo')
})

test('applied at the same time, each version is whole, and all servers end on the same one', async () => {
  const versions = await Promise.all(['A', 'B', 'C', 'D'].map((name) => applyShop(one.db.kysely, shopOf(name))))
  expect([...versions].sort()).toEqual([1, 2, 3, 4])
  await vi.waitUntil(() => [one, other].every(({ deps }) => deps.shop.current().version === 4), { timeout: 120_000 })
  expect(names()[0]).toBe(names()[1])
})

test('a shop applied while the first one is being taken over is not missed', async () => {
  await applyShop(one.db.kysely, shopOf('North'))
  const taken: string[] = []
  const { config, db, listener, log } = one.deps
  const shop = await serveShop({
    config,
    db,
    listener,
    log,
    async take({ name }, serve) {
      if (taken.push(name) === 1) {
        await applyShop(one.db.kysely, shopOf('West'))
        // The database has told this server, too.
        await bothServe('West')
      }
      serve()
    },
  })
  await vi.waitUntil(() => shop.current().name === 'West', { timeout: 120_000 })
  expect(taken).toEqual(['North', 'West'])
  await shop.close()
})

test('a snapshot cannot be changed', () => {
  expect(Object.isFrozen(one.deps.shop.current())).toBe(true)
})

test('the logo of every version stays at its address, and runs nothing', async () => {
  await applyShop(one.db.kysely, shopOf('North'))
  await bothServe('North')
  const { path } = one.deps.shop.current().logo!
  await undoShop(one.db.kysely)
  await bothServe('Finmeter')
  const answer = await fetch(other.url + path)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
  expect(await answer.text()).toContain('>N</text>')
  for (const missing of ['/shop/0123.svg', `/shop/${'0'.repeat(32)}.svg`, '/shop/..%2f..%2fpackage.json'])
    expect((await fetch(other.url + missing)).status).toBe(404)
})

test('a promise and legal texts with markup are shown as text', async () => {
  const { stored, assets } = shopOf('North & West')
  const attack = '</script></title><img src=x onerror=alert(1)>'
  await applyShop(one.db.kysely, {
    stored: { ...stored, promise: attack, pages: { terms: `# Terms\n\n${attack}\n\n[go](javascript:alert(1))` } },
    assets,
  })
  await bothServe('North & West')
  for (const path of [
    '/',
    '/docs',
    '/docs/pricing',
    '/legal/terms',
    '/login',
    '/mcp',
    '/nowhere',
    '/auth/v1/undo?token=none',
  ]) {
    const answer = await fetch(one.url + path, { headers: { accept: 'text/html' } })
    const html = await answer.text()
    expect([path, answer.headers.get('content-type')?.startsWith('text/html'), html.includes('<img src=x')]).toEqual([
      path,
      true,
      false,
    ])
    expect(html).not.toMatch(/href="\s*javascript:/)
  }
  await undoShop(one.db.kysely)
})

test('switched off, built-in tools are neither listed nor served; get_usage stays', async () => {
  const count = one.deps.tools.current().all.length
  const { stored, assets } = shopOf('North')
  await applyShop(one.db.kysely, { stored: { ...stored, builtins: 'off' }, assets })
  await vi.waitUntil(() => other.deps.tools.current().all.length === 1, { timeout: 120_000 })
  expect(other.deps.tools.current().all.map(({ tool }) => tool.name)).toEqual(['get_usage'])
  const document = (await (await fetch(`${other.url}/openapi.json`)).json()) as { paths: object }
  expect(Object.keys(document.paths)).toEqual(['/v1/usage'])
  expect((await fetch(`${other.url}/v1/timestamp`)).status).toBe(404)
  // Nor is the demonstration data, of which home page, resources and completion speak.
  expect(other.deps.market.current.manifests).toEqual([])
  await applyShop(one.db.kysely, { stored: { ...stored, builtins: ['examples', 'get_bars'] }, assets })
  await vi.waitUntil(() => other.deps.tools.current().all.length > 1, { timeout: 120_000 })
  expect(
    other.deps.tools
      .current()
      .all.map(({ tool }) => tool.name)
      .sort(),
  ).toEqual(['add', 'echo', 'get_bars', 'get_usage', 'timestamp'])
  expect(other.deps.market.current.manifests).toEqual([])
  await applyShop(one.db.kysely, { stored: { ...stored, builtins: ['get_bars', 'demo-data'] }, assets })
  await vi.waitUntil(() => other.deps.tools.current().all.length === 2, { timeout: 120_000 })
  expect(other.deps.market.current.manifests.length).toBeGreaterThan(20)
  await undoShop(one.db.kysely)
  await undoShop(one.db.kysely)
  await undoShop(one.db.kysely)
  await vi.waitUntil(() => other.deps.tools.current().all.length === count, { timeout: 120_000 })
})
