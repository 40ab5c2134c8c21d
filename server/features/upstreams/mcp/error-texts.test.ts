import { afterAll, beforeAll, expect, test } from 'vitest'
import { type McpLoopback, priceTool, startMcpLoopback } from '../testing/mcp-loopback.ts'
import { type McpSeller, startMcpSeller } from '../testing/mcp-seller.ts'

let seller: McpSeller
let server: McpLoopback
beforeAll(async () => {
  server = await startMcpLoopback([priceTool, { ...priceTool, name: 'get-news' }])
  seller = await startMcpSeller()
  await seller.add('library', `${server.url}/mcp`, {
    defaults: { credits: 2, error_texts: ['fetch failed', 'Error fetching*'] },
    operations: { 'get-news': { error_texts: ['no news'] } },
  })
})
afterAll(async () => {
  await seller?.server.close()
  server?.close()
})

const text = (...texts: string[]) => ({ content: texts.map((one) => ({ type: 'text', text: one })) })

test.each([
  ['the whole text', text('Fetch failed\n'), 422],
  ['its beginning', text('Error fetching documentation: TypeError: fetch failed'), 422],
  ['several blocks', text('Error fetching documentation.', 'Try again later.'), 422],
  ['a longer text', text('fetch failed for some symbols; 12 rows follow'), 200],
  ['a text in the middle', text('The log says: Error fetching'), 200],
  ['a result with structured content', { ...text('fetch failed'), structuredContent: { price: 1 } }, 200],
  ['another kind of block', { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }, 200],
  ['a long text', text(`Error fetching ${'x'.repeat(1_000)}`), 200],
  ['a text of another tool', text('no news'), 200],
  ['none', text(), 200],
])('%s, by both doors', async (_, answer, status) => {
  server.answer = () => answer
  const before = await seller.balance()
  const credits = status === 200 ? 2 : 0
  const rest = await seller.post('library/get-price', { symbol: 'A' })
  expect([rest.status, rest.headers.get('x-credits-charged')]).toEqual([status, String(credits)])
  expect((await rest.json()).content).toEqual(answer.content)
  const client = await seller.connected()
  const result = await client.callTool({ name: 'library_get_price', arguments: { symbol: 'A' } })
  await client.close()
  expect([result.isError === true, result.content]).toEqual([status === 422, answer.content])
  expect(result._meta?.['finmeter/credits-charged']).toBe(credits)
  expect(before - (await seller.balance())).toBe(2 * credits)
})

test('what an upstream wants to be paid is not passed on, by both doors', async () => {
  const terms = {
    x402Version: 2,
    resource: { url: 'mcp://tool/get-price' },
    accepts: [{ scheme: 'exact', payTo: '0xtheirs' }],
  }
  server.answer = () => ({ ...text(JSON.stringify(terms)), structuredContent: terms, isError: true })
  const before = await seller.balance()
  const rest = await seller.post('library/get-price', { symbol: 'A' })
  const problem = await rest.text()
  expect([rest.status, JSON.parse(problem).code, problem.includes('0xtheirs')]).toEqual([502, 'upstream_failed', false])
  const client = await seller.connected()
  const result = await client.callTool({ name: 'library_get_price', arguments: { symbol: 'A' } })
  await client.close()
  expect([result.isError, JSON.stringify(result).includes('0xtheirs')]).toEqual([true, false])
  expect(await seller.balance()).toBe(before)
})

test('an operation has its own texts in place of the others', async () => {
  for (const [said, status] of [
    ['no news', 422],
    ['fetch failed', 200],
  ] as const) {
    server.answer = () => text(said)
    expect((await seller.post('library/get-news', { symbol: 'A' })).status).toBe(status)
  }
})
