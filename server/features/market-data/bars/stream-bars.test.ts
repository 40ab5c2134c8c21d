import { type IncomingMessage, get as request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import type { TestKey } from '../../../testing/factories.ts'
import { startToolServer } from '../../tools/testing/tool-server.ts'
import { assemble } from '../market-data.ts'
import { syntheticPart } from '../testing/synthetic-part.ts'
import { marketDataTools } from '../tools.ts'

const ROWS = 400_000
/** How much of an unread stream this test's sockets and the system's buffers hold. */
const IN_FLIGHT = 16 * 2 ** 20

let key: TestKey
const server = await closeAfterTests(startToolServer(marketDataTools))
beforeAll(async () => {
  server.deps.market.replace(assemble([syntheticPart('SYN.LONG', ROWS)]))
  key = await server.key({ credits: 100_000 })
})

const path = (format: string, limit = 1_000_000) =>
  `/v1/bars/SYN.LONG?interval=1m&range=max&limit=${limit}&format=${format}`
const get = (format: string, limit?: number, headers: Record<string, string> = {}) =>
  fetch(server.url + path(format, limit), { headers: { 'x-api-key': key.value, ...headers } })
/** The answer as soon as its headers arrive, with its body unread. */
const open = (format: string) =>
  new Promise<IncomingMessage>((done, failed) => {
    request(server.url + path(format), { headers: { 'x-api-key': key.value }, agent: false }, done).on('error', failed)
  })

test('a long CSV contains every row once, in order, and is charged by its rows', async () => {
  const answer = await get('csv')
  expect([answer.status, answer.headers.get('x-credits-charged'), answer.headers.has('content-length')]).toEqual([
    200,
    '400',
    false,
  ])
  const lines = (await answer.text()).split('\r\n')
  expect(lines).toHaveLength(ROWS + 2)
  expect(lines.slice(0, 2)).toEqual([
    'date,open,high,low,close,volume',
    '2017-07-14T02:40:00Z,100,100.25,99.75,100.125,0',
  ])
  expect(lines.at(-2)).toBe('2018-04-17T21:19:00Z,109.99,110.24,109.74,110.115,399999')
  const volumes = lines.slice(1, -1).map((line) => Number(line.slice(line.lastIndexOf(',') + 1)))
  expect(volumes.every((volume, row) => volume === row)).toBe(true)
})

test('NDJSON too; a limited answer continues with the cursor in the header', async () => {
  const first = await get('ndjson', 20_000)
  const rows = (await first.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect([rows.length, rows[19_999].volume]).toEqual([20_000, 19_999])
  const cursor = first.headers.get('x-next-cursor')
  const next = await fetch(`${server.url}${path('ndjson', 20_000)}&cursor=${cursor}`, {
    headers: { 'x-api-key': key.value },
  })
  expect(JSON.parse((await next.text()).slice(0, 200).split('\n')[0]!).volume).toBe(20_000)
})

test('the other formats, and MCP, stop at 10,000 rows and say what to do', async () => {
  for (const format of ['json', 'columns', 'parquet']) {
    const answer = await get(format, 10_001)
    expect([answer.status, (await answer.json()).param]).toEqual([400, 'limit'])
  }
  const mcp = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'x-api-key': key.value, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_bars', arguments: { symbol: 'SYN.LONG', limit: 10_001 } },
    }),
  })
  const { result } = await mcp.json()
  expect([result.isError, result.content[0].text]).toEqual([true, expect.stringContaining('10000')])
})

test('the charge is durable before the first row; disconnected clients stay charged, and their rows are not produced', async () => {
  const before = await server.spending(key.accountId)
  const held = process.memoryUsage().arrayBuffers
  const answer = await open('csv')
  expect(await server.spending(key.accountId)).toMatchObject({ credits: before.credits + 400 })
  const [first] = (await new Promise<Buffer>((done) => answer.once('data', done))).toString().split('\r\n')
  expect(first).toBe('date,open,high,low,close,volume')
  answer.pause()
  expect((await (await get('csv', 20_000)).text()).length).toBeGreaterThan(1_000_000)
  // A whole answer is 24 MB; an unread stream stops after what the sockets take.
  expect(process.memoryUsage().arrayBuffers - held).toBeLessThan(IN_FLIGHT)
  answer.destroy()
  expect(await server.spending(key.accountId)).toMatchObject({ rows: before.rows + 2, credits: before.credits + 420 })
})

test('a reader that pauses still gets everything', async () => {
  const answer = await open('csv')
  let bytes = 0
  for await (const chunk of answer) {
    if (bytes === 0) await new Promise((resolve) => setImmediate(resolve))
    bytes += (chunk as Buffer).length
  }
  expect(bytes).toBe(Buffer.byteLength(await (await get('csv')).text()))
})

test('an unchanged long answer is 304 and free, one of new data is not', async () => {
  const { headers } = await get('csv', 20_000)
  const etag = headers.get('etag')!
  expect(etag).toMatch(/^W\/"/)
  const again = await get('csv', 20_000, { 'if-none-match': etag })
  expect([again.status, again.headers.get('x-credits-charged'), await again.text()]).toEqual([304, '0', ''])
  expect((await get('csv', 20_001, { 'if-none-match': etag })).status).toBe(200)
  server.deps.market.replace(assemble([syntheticPart('SYN.LONG', ROWS, '1')]))
  expect((await get('csv', 20_000, { 'if-none-match': etag })).status).toBe(200)
})
