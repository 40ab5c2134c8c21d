import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminQuery } from '../../testing/databases.ts'
import { json, operation } from './testing/body-tools.ts'
import { testTools } from './testing/test-tools.ts'
import { startToolServer, type ToolServer } from './testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer([...testTools, operation('price', () => json({ price: 1 }))])
})
afterAll(() => server?.close())

/** Blocks, or restores, connections to this file's database. */
async function allowConnections(allowed: boolean): Promise<void> {
  const name = new URL(server.databaseUrl).pathname.slice(1)
  await adminQuery(server.databaseUrl, `alter database ${name} with allow_connections ${allowed}`)
  if (!allowed)
    await adminQuery(
      server.databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
}

test('while the database is down nothing is served: 503 with Retry-After on REST, a tool error or 503 on MCP; then service resumes', async () => {
  const key = await server.key({ credits: 50 })
  const rest = () => fetch(`${server.url}/v1/test/rows/A`, { headers: { 'x-api-key': key.value } })
  const mcp = () =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': key.value, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'test_rows', arguments: { symbol: 'A' } },
      }),
    })
  expect((await rest()).status).toBe(200)
  await allowConnections(false)
  try {
    const refused = await rest()
    expect(refused.status).toBe(503)
    expect(refused.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ code: 'metering_unavailable', retry_after: expect.any(Number) })
    const answer = await mcp()
    const body = await answer.json()
    const code = body.error?.data.code ?? body.result._meta['finmeter/error']
    expect({ code, data: body.result?.structuredContent }).toEqual({ code: 'metering_unavailable', data: undefined })
    expect(answer.headers.has('retry-after')).toBe(true)
  } finally {
    await allowConnections(true)
  }
  await expect.poll(async () => (await rest()).status).toBe(200)
  expect(await server.spending(key.accountId)).toMatchObject({ rows: 2, credits: 6 })
  expect(await server.invariants()).toEqual([])
})

test('an operation with an Idempotency-Key gets the same 503 if its kept response cannot be looked up', async () => {
  const key = await server.key({ credits: 50 })
  const ask = () =>
    fetch(`${server.url}/v1/acme/price`, { headers: { 'x-api-key': key.value, 'idempotency-key': 'order-1' } })
  expect((await ask()).status).toBe(200)
  await server.db.pool.query('alter table kept_answers rename to kept_answers_away')
  const refused = await ask().finally(() =>
    server.db.pool.query('alter table kept_answers_away rename to kept_answers'),
  )
  expect([refused.status, (await refused.json()).code]).toEqual([503, 'metering_unavailable'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask()).headers.get('x-credits-charged')).toBe('0')
  expect(await server.spending(key.accountId)).toMatchObject({ credits: 2 })
})
