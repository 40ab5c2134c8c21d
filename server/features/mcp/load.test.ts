import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CallRecord } from '../../http/call-record.ts'
import type { TestKey } from '../../testing/factories.ts'
import { basicTools } from '../tools/basic/basic-tools.ts'
import { testTools } from '../tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { createMcpDispatcher } from './dispatcher.ts'

const TOOLS = 60
const KEYS = 100
const CALLS_PER_KEY = 100
/** `MCP_LOAD_CALLS=200000` also runs the long one. */
const longCalls = Number(process.env.MCP_LOAD_CALLS ?? 0)
const LONG_MS = 30 * 60_000
const AT_ONCE = 64
const MAX_GROWTH_BYTES = 16 * 1024 * 1024

const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)

let server: ToolServer
let keys: TestKey[]
beforeAll(async () => {
  const own = [...basicTools, ...testTools]
  const copies = Array.from({ length: TOOLS - own.filter(({ mcp }) => mcp !== false).length }, (_, n) => ({
    ...own[0]!,
    name: `copy_${n}`,
    rest: undefined,
  }))
  server = await startToolServer([...own, ...copies])
  expect(server.deps.tools.current().mcpTools).toHaveLength(TOOLS)
  keys = await Promise.all(Array.from({ length: KEYS }, () => server.key({ credits: 1_000 })))
})
afterAll(() => server?.close())

const call = (name: string, args: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

test('10,000 concurrent calls of 100 keys: each key gets its own answers and pays for its own calls', {
  timeout: 300_000,
}, async () => {
  const ofKey = async (key: TestKey) => {
    for (let n = 0; n < CALLS_PER_KEY; n++) {
      const symbol = `${key.id}-${n}`
      const answer = await fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key.value },
        body: call('test_rows', { symbol }),
      })
      const { result } = await answer.json()
      expect(result.structuredContent.rows[0][0]).toBe(symbol)
      expect(result._meta['finmeter/credits-remaining']).toBe(1_000 - 3 * (n + 1))
    }
  }
  await Promise.all(keys.map(ofKey))
  const spent = await Promise.all(keys.map((key) => server.spending(key.accountId)))
  expect(spent).toEqual(Array(KEYS).fill({ rows: CALLS_PER_KEY, failedRows: 0, credits: 3 * CALLS_PER_KEY }))
  expect(await server.invariants()).toEqual([])
})

test.runIf(longCalls > 0)('memory stays flat over many calls', { timeout: LONG_MS }, async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { handle, close } = await createMcpDispatcher(server.deps)
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const one = (n: number) =>
    handle({
      method: 'POST',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      // Tests both paths: only the SDK handles batches.
      body: n % 50 === 0 ? `[${call('add', { a: n, b: 1 })}]` : call('add', { a: n, b: 1 }),
      presented: { apiKeyHeader: keys[n % KEYS]!.value, urlKey: undefined, authorization: undefined },
      record: new CallRecord('r'),
    })
  const some = async (count: number) => {
    for (let n = 0; n < count; n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => one(n + i)))
  }
  await some(longCalls / 10)
  const before = heap()
  await some(longCalls)
  const growth = heap() - before
  console.info(`${longCalls} calls: heap ${mib(before)} MiB before, ${mib(before + growth)} MiB after`)
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
  await close()
})
