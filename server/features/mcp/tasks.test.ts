import { afterAll, beforeAll, expect, test } from 'vitest'
import { productTools } from '../../product-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer()
})
afterAll(() => server?.close())

const MODERN = '2026-07-28'
const TASKS = 'io.modelcontextprotocol/tasks'

/** A request of a client that declares the tasks extension. */
async function declaring(key: string, method: string, params: Record<string, unknown>) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
  }
  const name = params.name ?? params.taskId
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': key,
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  return { status: answer.status, ...(await answer.json()) }
}

async function olderClient(key: string, method: string, params: unknown) {
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key, 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return answer.json()
}

test('tasks are announced in neither revision', async () => {
  const { value } = await server.key()
  const { result } = await declaring(value, 'server/discover', {})
  expect(result.capabilities.tools).toBeDefined()
  expect(Object.keys(result.capabilities.extensions ?? {})).not.toContain(TASKS)
  expect(result.capabilities.tasks).toBeUndefined()
  const clientInfo = { name: 'test', version: '1' }
  const handshake = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const initialized = await olderClient(value, 'initialize', handshake)
  expect(initialized.result.capabilities.tools).toBeDefined()
  expect(initialized.result.capabilities.tasks).toBeUndefined()
})

test('a client that could take a task gets the result itself, and is charged once', async () => {
  const key = await server.key({ credits: 10 })
  const call = { name: 'test_rows', arguments: { symbol: 'A', rows: 1 } }
  const { result } = await declaring(key.value, 'tools/call', call)
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { rows: [['A', 1, 'plain', false]] } })
  expect(result.taskId).toBeUndefined()
  // 2025-11-25: a receiver that does not announce tasks ignores the request for one.
  const older = await olderClient(key.value, 'tools/call', { ...call, task: { ttl: 60_000 } })
  expect(older.result.structuredContent.rows).toEqual([['A', 1, 'plain', false]])
  expect(older.result.task).toBeUndefined()
  expect(await server.spending(key.accountId)).toEqual({ rows: 2, failedRows: 0, credits: 6 })
})

test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s is an unknown method', async (method) => {
  const { value } = await server.key()
  const answer = await declaring(value, method, { taskId: 'some-task', inputResponses: {} })
  expect([answer.status, answer.error.code]).toEqual([404, -32601])
  expect((await olderClient(value, method, { taskId: 'some-task' })).error.code).toBe(-32601)
})

// Tasks would serve only calls that outlast a connection: see docs/decisions/0083-mcp-tasks.md.
test('no tool of the product may run longer than ten seconds', () => {
  expect(productTools.length).toBeGreaterThan(20)
  expect(productTools.filter(({ timeoutMs = 10_000 }) => timeoutMs > 10_000).map(({ name }) => name)).toEqual([])
})
