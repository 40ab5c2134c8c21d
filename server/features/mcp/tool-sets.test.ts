import { afterAll, beforeAll, expect, test } from 'vitest'
import { productTools } from '../../product-tools.ts'
import { toolPresets } from '../tools/define-tool.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
let key: string
beforeAll(async () => {
  server = await startToolServer()
  key = (await server.key({ credits: 100 })).value
})
afterAll(() => server?.close())

async function rpc(query: string, method: string, params: unknown = {}) {
  const answer = await fetch(`${server.url}/mcp${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return { status: answer.status, body: await answer.json() }
}
const names = async (query: string) =>
  (await rpc(query, 'tools/list')).body.result.tools.map((tool: { name: string }) => tool.name)

test('?tools= lists only those tools and presets, in catalog order', async () => {
  // Examples come last, whatever the order in which tools were given.
  expect(await names('')).toEqual(['test_rows', 'test_per_rows', 'test_failing', 'add', 'echo', 'timestamp'])
  expect(await names('?tools=')).toHaveLength(6)
  expect(await names('?tools=test_rows,add')).toEqual(['test_rows', 'add'])
  expect(await names('?tools=%74est,test_rows')).toEqual(['test_rows', 'add', 'echo', 'timestamp'])
  expect(await names('?tools=ADD')).toEqual(['add'])
})

test('a tool outside the set is unknown, one inside is called, on both paths', async () => {
  const call = { name: 'add', arguments: { a: 1, b: 2 } }
  expect((await rpc('?tools=echo', 'tools/call', call)).body.error).toMatchObject({
    code: -32602,
    message: 'Unknown tool: add. Known tools: echo',
  })
  expect((await rpc('?tools=add', 'tools/call', call)).body.result.structuredContent).toEqual({ result: 3 })
})

test('an unknown name is refused with the known names', async () => {
  for (const wrong of ['nope', 'constructor', 'test_posted']) {
    const { status, body } = await rpc(`?tools=${wrong}`, 'tools/list')
    expect(status).toBe(400)
    expect(body.error.data).toEqual({ code: 'invalid_parameter' })
    expect(body.error.message).toContain(
      'Presets: test. Tools: test_rows, test_per_rows, test_failing, add, echo, timestamp.',
    )
  }
})

test('a preset has the tools that say so, and each has some', () => {
  const namesIn = (preset: (typeof toolPresets)[number]) =>
    productTools.filter(({ mcp }) => (mcp ? mcp.presets : undefined)?.includes(preset)).map(({ name }) => name)
  expect(namesIn('test')).toEqual(['add', 'echo', 'timestamp'])
  expect(namesIn('companies')).toEqual(expect.arrayContaining(['search_symbols', 'get_company', 'get_financials']))
  expect(namesIn('companies')).not.toContain('get_bars')
  expect(toolPresets.filter((preset) => namesIn(preset).length === 0)).toEqual([])
})
