import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestKey } from '../../testing/factories.ts'
import { basicTools } from '../tools/basic/basic-tools.ts'
import { defineTool } from '../tools/define-tool.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { createMcpDispatcher, type McpDispatcher } from './dispatcher.ts'

const LIMIT = 256
let waiting: (() => void)[] = []
/** Keeps running until the test releases it. */
const gateTool = defineTool({
  name: 'test_gate',
  title: 'Gate',
  description: 'Waits until it is let through.',
  input: z.strictObject({}),
  output: z.object({ through: z.boolean() }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 0 },
  run: () => new Promise<{ through: boolean }>((done) => waiting.push(() => done({ through: true }))),
})

let server: ToolServer
let mcp: McpDispatcher
beforeAll(async () => {
  server = await startToolServer([...basicTools, gateTool])
  mcp = await createMcpDispatcher(server.deps)
})
afterAll(async () => {
  await mcp?.close()
  await server?.close()
})

async function call(key: TestKey, name: string, args: object = {}) {
  const { body } = await mcp.handle({
    method: 'POST',
    headers: { host: 'localhost', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    presented: { apiKeyHeader: key.value, urlKey: undefined, authorization: undefined },
  })
  return JSON.parse(body as string).result
}

test('a key has at most 256 calls in progress; one that finishes makes room, and other keys are unaffected', async () => {
  const [one, two] = [await server.key(), await server.key()]
  const underWay = Array.from({ length: LIMIT }, () => call(one, 'test_gate'))
  await expect.poll(() => waiting.length, { timeout: 30_000 }).toBe(LIMIT)
  const refused = await call(one, 'add', { a: 1, b: 2 })
  expect(refused).toMatchObject({
    isError: true,
    content: [{ text: '256 calls of this key are in progress. Wait for one to finish. Nothing was charged.' }],
    _meta: { 'finmeter/error': 'rate_limited', 'finmeter/credits-charged': 0, 'finmeter/retry-after': 1 },
  })
  expect((await call(two, 'add', { a: 1, b: 2 })).structuredContent).toEqual({ result: 3 })
  waiting.shift()!()
  await Promise.race(underWay)
  expect((await call(one, 'add', { a: 1, b: 2 })).structuredContent).toEqual({ result: 3 })
  for (const go of waiting) go()
  waiting = []
  for (const result of await Promise.all(underWay)) expect(result.structuredContent).toEqual({ through: true })
})
