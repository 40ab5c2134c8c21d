import type { ServerContext } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type McpLoopback, priceTool, startMcpLoopback } from '../testing/mcp-loopback.ts'
import { type McpSeller, startMcpSeller } from '../testing/mcp-seller.ts'

const price = { content: [{ type: 'text', text: '1.5' }] }
let seller: McpSeller
let old: McpLoopback
let modern: McpLoopback

beforeAll(async () => {
  old = await startMcpLoopback([priceTool])
  modern = await startMcpLoopback([priceTool], true)
  seller = await startMcpSeller()
  await seller.add('old', `${old.url}/mcp`)
  await seller.add('modern', `${modern.url}/mcp`)
  await seller.add('kept', `${old.url}/mcp`, { stateful: true })
})
afterAll(async () => {
  await seller?.server.close()
  old?.close()
  modern?.close()
})
beforeEach(() => {
  for (const one of [old, modern]) {
    one.answer = () => price
    one.instead = null
    one.seen.length = 0
  }
})

const reports =
  (news: object[]) =>
  async (_name: string, _args: unknown, _session: string, { mcpReq }: ServerContext) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const one of news)
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...one } as never })
    return { content: [{ type: 'text', text: String(progressToken !== undefined) }] }
  }

test.each([
  ['old', 'auto'],
  ['old', 'legacy'],
  ['modern', 'auto'],
  ['modern', 'legacy'],
] as const)('progress of a server (%s) reaches the client (%s) that asked, and only it', async (id, mode) => {
  const at = id === 'old' ? old : modern
  at.answer = reports([
    { progress: 1, total: 3, message: 'one\u202E' },
    { progress: 1, total: 3, message: 'again' },
    { progress: 2, total: 3, message: 'two' },
  ])
  const [client, other] = [await seller.connected(mode), await seller.connected(mode)]
  const heard: unknown[] = []
  const params = { name: `${id}_get_price`, arguments: { symbol: 'ACME' } }
  const [asked, silent] = await Promise.all([
    client.callTool(params, { onprogress: (news) => void heard.push(news) }),
    other.callTool(params),
  ])
  expect(heard).toEqual([
    { progress: 1, total: 3, message: 'one\uFFFD' },
    { progress: 2, total: 3, message: 'two' },
  ])
  expect(asked).toMatchObject({ content: [{ text: 'true' }], _meta: { 'finmeter/credits-charged': 2 } })
  // Nobody asked for that one's progress, so the server was not asked either.
  expect(silent).toMatchObject({ content: [{ text: 'false' }], _meta: { 'finmeter/credits-charged': 2 } })
  await client.close()
  await other.close()
})

test('a tool that reports nothing answers a client that asked', async () => {
  const client = await seller.connected()
  const before = await seller.balance()
  const result = await client.callTool(
    { name: 'old_get_price', arguments: { symbol: 'ACME' } },
    { onprogress: () => expect.unreachable() },
  )
  expect(result).toMatchObject(price)
  expect(await seller.balance()).toBe(before - 2)
  await client.close()
})

/** A call that a client of protocol 2026-07-28 takes back once it is at the server. */
async function takeBack(id: string, at: McpLoopback, more: object = {}): Promise<{ ended: Promise<unknown> }> {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  at.answer = (_name, _args, _session, { mcpReq }) => {
    begun.resolve()
    mcpReq.signal.addEventListener('abort', () => ended.resolve('canceled'))
    return new Promise((done) => ended.promise.then(() => done(price)))
  }
  const client = await seller.connected()
  const taken = new AbortController()
  const call = client.callTool(
    { name: `${id}_get_price`, arguments: { symbol: 'ACME' }, ...more },
    { signal: taken.signal },
  )
  call.catch(() => {})
  await begun.promise
  taken.abort()
  await expect(call).rejects.toThrow()
  await client.close()
  return { ended: ended.promise }
}

test.each(['old', 'modern', 'kept'])(
  'a call that its client takes back is canceled at the server (%s), and charged',
  async (id) => {
    const before = await seller.balance()
    const known = (await seller.usage()).length
    const { ended } = await takeBack(id, id === 'modern' ? modern : old)
    expect(await ended).toBe('canceled')
    // In protocol 2026-07-28, the end of the connection says so.
    expect(old.seen.some(({ body }) => body.includes('notifications/cancelled'))).toBe(id !== 'modern')
    const charge = { tool: `${id}_get_price`, credits: 2, success: true }
    await expect.poll(async () => (await seller.usage()).slice(known)).toEqual([charge])
    expect(await seller.balance()).toBe(before - 2)
  },
)

test('a call that is taken back while it opens the session leaves the other calls of its customer alone', async () => {
  await seller.add('slow', `${old.url}/mcp`, { stateful: true })
  const asked = Promise.withResolvers<void>()
  // Only the first one is never answered: its end may be heard after the next one has arrived.
  old.instead = (_response, body) => {
    if (!body.includes('"initialize"') && !body.includes('server/discover')) return false
    old.instead = null
    asked.resolve()
  }
  const [first, other] = [await seller.connected(), await seller.connected()]
  const params = { name: 'slow_get_price', arguments: { symbol: 'ACME' } }
  const taken = new AbortController()
  const left = first.callTool(params, { signal: taken.signal })
  left.catch(() => {})
  await asked.promise
  const entered = seller.server.deps.limits.enter.bind(seller.server.deps.limits)
  const waiting = Promise.withResolvers<void>()
  seller.server.deps.limits.enter = (...given) => {
    waiting.resolve()
    return entered(...given)
  }
  const second = other.callTool(params)
  await waiting.promise
  seller.server.deps.limits.enter = entered
  taken.abort()
  await expect(left).rejects.toThrow()
  expect(await second).toMatchObject(price)
  expect(await other.callTool(params)).toMatchObject(price)
  await first.close()
  await other.close()
})

test('a call with an idempotency key goes on: the retry gets its answer', async () => {
  const before = await seller.balance()
  const finish = Promise.withResolvers<unknown>()
  const begun = Promise.withResolvers<void>()
  old.answer = () => {
    begun.resolve()
    return finish.promise
  }
  const params = {
    name: 'old_get_price',
    arguments: { symbol: 'ACME' },
    _meta: { 'finmeter/idempotency-key': 'retry-1' },
  }
  const client = await seller.connected()
  const taken = new AbortController()
  const call = client.callTool(params, { signal: taken.signal })
  call.catch(() => {})
  await begun.promise
  taken.abort()
  await expect(call).rejects.toThrow()
  const known = (await seller.usage()).length
  finish.resolve(price)
  await expect.poll(async () => (await seller.usage()).length).toBe(known + 1)
  const again = await client.callTool(params)
  expect(again).toMatchObject({ ...price, _meta: { 'finmeter/credits-charged': 0, 'finmeter/replayed': true } })
  expect(await seller.balance()).toBe(before - 2)
  await client.close()
})
