import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertAccount, insertKey } from '../../testing/factories.ts'
import { startTestServer, type TestServer } from '../../testing/harness.ts'

let server: TestServer
let key: string
beforeAll(async () => {
  server = await startTestServer()
  key = (await insertKey(server.db, await insertAccount(server.db))).value
})
afterAll(() => server?.close())

describe.each(['auto', 'legacy'] as const)('a client (%s)', (mode) => {
  let client: Client
  beforeAll(async () => {
    client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
        requestInit: { headers: { 'x-api-key': key } },
      }),
    )
  })
  afterAll(() => client?.close())

  test('learns name, icon and capabilities', () => {
    expect(client.getServerVersion()).toMatchObject({
      name: 'finmeter',
      icons: [{ src: `${server.url}/icon.png`, mimeType: 'image/png', sizes: ['96x96'] }],
    })
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {}, completions: {} })
  })

  test('gets instructions', () => {
    expect(client.getInstructions()).toContain('To see what is available: search_symbols, list_datasets')
  })

  test('lists and reads resources and templates', async () => {
    const { resources } = await client.listResources()
    expect(resources).toContainEqual(expect.objectContaining({ uri: 'dataset://us-cpi', mimeType: 'application/json' }))
    const [card] = (await client.readResource({ uri: 'dataset://us-cpi' })).contents
    expect(JSON.parse((card as { text: string }).text)).toMatchObject({ id: 'us-cpi' })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map((one) => one.uriTemplate)).toEqual(['dataset://{id}', 'schema://{id}'])
  })

  test('gets an error for an unknown resource, with suggestions', async () => {
    await expect(client.readResource({ uri: 'dataset://us-cp' })).rejects.toThrow(/Did you mean .*dataset:\/\/us-cpi/)
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(/There is no resource/)
  })

  test('gets prompts, and errors for wrong arguments', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts.map((prompt) => prompt.name)).toContain('analyze_stock')
    const { messages } = await client.getPrompt({ name: 'analyze_stock', arguments: { symbol: 'AAPL' } })
    expect(messages[0]).toMatchObject({ role: 'user', content: { text: expect.stringContaining('Analyze AAPL') } })
    await expect(client.getPrompt({ name: 'analyze_stock' })).rejects.toThrow('analyze_stock needs symbol')
    await expect(client.getPrompt({ name: 'nope' })).rejects.toThrow('There is no prompt nope.')
  })

  test('completes symbols and datasets', async () => {
    const symbols = await client.complete({
      ref: { type: 'ref/prompt', name: 'analyze_stock' },
      argument: { name: 'symbol', value: 'AAP' },
    })
    expect(symbols.completion.values[0]).toBe('AAPL')
    const datasets = await client.complete({
      ref: { type: 'ref/resource', uri: 'dataset://{id}' },
      argument: { name: 'id', value: 'us-c' },
    })
    expect(datasets.completion.values).toContain('us-cpi')
  })
})
