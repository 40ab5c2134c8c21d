import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { productTools } from '../../product-tools.ts'
import { basicTools } from '../tools/basic/basic-tools.ts'
import { createToolRegistry } from '../tools/registry.ts'
import { testTools } from '../tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'

let server: ToolServer
beforeAll(async () => {
  const copies = Array.from({ length: 57 }, (_, index) => ({
    ...testTools[0]!,
    name: `test_rows_${index}`,
    rest: undefined,
  }))
  server = await startToolServer([...basicTools, ...copies])
})
afterAll(() => server?.close())

test('60 tools are listed in one answer, in catalog order, with the same bytes each time', async () => {
  const { value } = await server.key()
  const list = async () => {
    const answer = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': value, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    return answer.text()
  }
  const text = await list()
  const names = JSON.parse(text).result.tools.map((tool: { name: string }) => tool.name)
  expect(names).toEqual(server.deps.tools.current().all.map((entry) => entry.tool.name))
  expect(names).toHaveLength(60)
  expect(await list()).toBe(text)
})

/** Counted by the tokenizer of current models (o200k). */
const tokens = (value: unknown) => encode(JSON.stringify(value)).length

test('a table tool with six inputs costs less than 500 tokens of the list, the whole product less than 6,000', async () => {
  expect(tokens(server.deps.tools.current().mcpTools.at(-1))).toBeLessThan(500)
  const product = (await createToolRegistry(productTools, server.db)).current()
  expect(product.mcpTools.length).toBeGreaterThan(basicTools.length)
  expect(tokens(product.mcpTools)).toBeLessThan(6_000)
})
