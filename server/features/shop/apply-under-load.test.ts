import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertAccount, insertKey } from '../../testing/factories.ts'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { applyShop, undoShop } from './apply.ts'
import { shopOf } from './testing/northwind.ts'

// Two servers change between two shops that share nothing, while both answer. Needs the built web.
const off = { ...shopOf('Northwind'), tools: false, other: 'Southwind' }
off.stored = { ...off.stored, builtins: 'off', accent: { light: '#a03a00', dark: '#f7a072' } }
const on = { ...shopOf('Southwind'), tools: true, other: 'Northwind' }
on.stored = { ...on.stored, accent: { light: '#0b6d89', dark: '#58c4e0' } }
const shops = [off, on]

let servers: TestServer[]
let key: string
beforeAll(async () => {
  const one = await startTestServer()
  servers = [one, await startTestServer({ databaseUrl: one.databaseUrl })]
  key = (await insertKey(one.db, await insertAccount(one.db))).value
})
afterAll(() => Promise.all((servers ?? []).toReversed().map((server) => server.close())))

/** What an answer shows of each shop that could be on it, as words that only that shop's answers have. */
const surfaces: { path: string; init?: RequestInit; market: string }[] = [
  { path: '/', market: '"id":"us-cpi"' },
  { path: '/openapi.json', market: '/v1/bars/{symbol}' },
  { path: '/llms.txt', market: 'get_bars' },
  {
    path: '/mcp',
    market: 'Market data, metered',
    init: {
      method: 'POST',
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'load', version: '1' } },
      }),
    },
  },
]

async function look(server: TestServer, { path, init, market }: (typeof surfaces)[number]): Promise<string> {
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const answer = await fetch(server.url + path, { headers, ...init })
  const text = await answer.text()
  const shop = shops.find(({ stored }) => text.includes(stored.name))
  if (!shop || answer.status !== 200) return `${path}: ${answer.status} ${text.slice(0, 300)}`
  const problems = [
    text.includes(shop.other) && `names ${shop.other}, too`,
    text.includes(market) !== shop.tools && `${shop.tools ? 'lacks' : 'has'} ${market}`,
    path === '/' && !text.includes(`--accent:light-dark(${shop.stored.accent!.light},`) && 'has other colors',
  ].filter(Boolean)
  return problems.length > 0 ? `${path} of ${shop.stored.name} ${problems.join(', ')}` : ''
}

test('while shops are applied and undone, every answer is of one shop, no call fails, and each server follows', async () => {
  const { kysely } = servers[0]!.db
  const served = (name: string) =>
    vi.waitUntil(() => servers.every(({ deps }) => deps.shop.current().name === name), { timeout: 120_000 })
  await applyShop(kysely, off)
  await served('Northwind')
  const problems = new Set<string>()
  const counts = { answers: 0, calls: 0 }
  let ends = false
  const asking = servers.flatMap((server) => [
    ...surfaces.map(async (surface) => {
      while (!ends) {
        const problem = await look(server, surface)
        counts.answers++
        if (problem) problems.add(problem)
      }
    }),
    (async () => {
      while (!ends) {
        const { status } = await fetch(`${server.url}/v1/usage`, { headers: { 'x-api-key': key } })
        counts.calls++
        if (status !== 200) problems.add(`a call ended with ${status}`)
      }
    })(),
  ])
  // As long as it takes on a busy machine until there is something to judge by.
  for (let round = 0; round < 10 || counts.answers <= 50 || counts.calls <= 20; round++) {
    await applyShop(kysely, on)
    await served('Southwind')
    await undoShop(kysely)
    await served('Northwind')
  }
  ends = true
  await Promise.all(asking)
  expect([...problems]).toEqual([])
  expect(counts.answers).toBeGreaterThan(50)
  expect(counts.calls).toBeGreaterThan(20)
})
