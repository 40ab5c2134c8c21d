import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../db/embedded.ts'
import { mcpCommand } from '../../../testing/mcp-command.ts'
import { runCommand } from '../../../testing/run-admin.ts'
import { type McpSeller, startMcpSeller } from '../testing/mcp-seller.ts'
import { startStdioBridge } from '../testing/stdio-bridge.ts'

const program = (name: string) => mcpCommand(`@modelcontextprotocol/server-${name}/dist/index.js`)
type Calls = readonly (readonly [tool: string, args: Record<string, unknown>])[]

let seller: McpSeller
let folder: string
let everything: ChildProcess
let everythingUrl: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'finmeter-reference-'))
  const port = await freePort()
  everything = spawn(process.execPath, [program('everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface({ input: everything.stderr! })) if (line.includes('listening')) break
  // It writes a line for each request, and would wait for room in a pipe that nobody reads.
  everything.stderr!.resume()
  everythingUrl = `http://127.0.0.1:${port}/mcp`
  seller = await startMcpSeller()
})
afterAll(async () => {
  await seller?.server.close()
  if (everything) {
    const ended = once(everything, 'exit')
    everything.kill('SIGKILL')
    await ended
  }
  await rm(folder, { recursive: true, force: true })
})

/** The time of day in what a server makes up, also within base64. */
const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, one) =>
      typeof one === 'string' && name === 'blob' ? Buffer.from(one, 'base64').toString() : one,
    ).replace(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, 'TIME'),
  )

const toolOf = (id: string, tool: string) => `${id}_${tool.replaceAll('-', '_')}`

/**
 * Calls everything directly, over MCP and over REST, and compares. `published`: what an address of a resource becomes. Each result that is no
 * error costs 2 credits.
 */
async function compare(id: string, direct: Client, calls: Calls, published = (text: string) => text): Promise<void> {
  const client = await seller.connected()
  for (const [tool, args] of calls) {
    const { content, structuredContent, isError } = await direct.callTool({ name: tool, arguments: args })
    const given = {
      content,
      ...(structuredContent !== undefined && { structuredContent }),
      ...(isError && { isError }),
    }
    const expected = timeless(JSON.parse(published(JSON.stringify(given))))
    const credits = isError ? 0 : 2
    const before = await seller.balance()
    const { _meta, ...result } = await client.callTool({ name: toolOf(id, tool), arguments: args })
    expect(_meta).toMatchObject({ 'finmeter/credits-charged': credits })
    const overMcp = timeless(result) as Record<string, unknown>
    // Over MCP, an error is its content.
    expect([tool, overMcp]).toEqual([
      tool,
      isError ? { content: (expected as typeof given).content, isError } : expected,
    ])
    const response = await seller.post(`${id}/${tool}`, args)
    expect([tool, response.status, response.headers.get('x-credits-charged')]).toEqual([
      tool,
      isError ? 422 : 200,
      String(credits),
    ])
    expect(timeless(await response.json())).toEqual(expected)
    expect(await seller.balance()).toBe(before - 2 * credits)
    expect((await seller.usage()).slice(-2)).toEqual(
      Array(2).fill({ tool: toolOf(id, tool), credits, success: !isError }),
    )
  }
  await client.close()
}

test('server-everything, added by the command: tools, resources and prompts are what they are directly', async () => {
  const { server } = seller
  const { code, out, err } = await runCommand(
    'upstream',
    ['add-mcp', everythingUrl, '--id', 'every', '--price', '2', '--prompts', '1', '--resources', '3'],
    { NODE_ENV: 'test', DATABASE_URL: server.databaseUrl, KEYS_SECRET: 'ab'.repeat(32) },
  )
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('every_get_sum  POST /v1/every/get-sum  2 credits per call  MCP')
  expect(out).toContain('every_args_prompt  GET /v1/every/prompts/args-prompt  1 credit per call')
  expect(out).toContain('every_resources_read  GET /v1/every/resources  3 credits per call')
  await expect.poll(() => server.deps.tools.current().get('every_get_sum')).toBeTruthy()

  const direct = new Client({ name: 'test', version: '1' })
  await direct.connect(new StreamableHTTPClientTransport(new URL(everythingUrl)))
  const published = (text: string) => text.replaceAll('"uri":"demo:', '"uri":"every.demo:')
  await compare(
    'every',
    direct,
    [
      ['echo', { message: 'hello' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-tiny-image', {}],
      ['get-structured-content', { location: 'New York' }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-resource-links', { count: 3 }],
      ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
      ['get-resource-reference', { resourceType: 'Text', resourceId: -1 }],
    ],
    published,
  )

  const client = await seller.connected()
  const own = await direct.listTools()
  const { tools } = await client.listTools()
  for (const { name, description } of own.tools)
    expect(tools.find((one) => one.name === toolOf('every', name))).toMatchObject({ description })
  const before = await seller.balance()
  const heard: unknown[] = []
  await client.callTool(
    { name: 'every_trigger_long_running_operation', arguments: { duration: 0.3, steps: 3 } },
    { onprogress: ({ progress, total }) => void heard.push([progress, total]) },
  )
  expect(heard).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ])

  const { prompts } = await direct.listPrompts()
  expect(prompts.length).toBeGreaterThan(3)
  const mirrored = await client.listPrompts()
  for (const { name, title } of prompts)
    expect(mirrored.prompts.find((one) => one.name === toolOf('every', name))).toMatchObject({ title })
  for (const [name, args] of [
    ['simple-prompt', {}],
    ['args-prompt', { city: 'Oslo', state: 'Oslo' }],
    ['resource-prompt', { resourceType: 'Text', resourceId: '1' }],
  ] as const) {
    const { _meta, ...result } = await client.getPrompt({ name: toolOf('every', name), arguments: args })
    expect(_meta).toMatchObject({ 'finmeter/credits-charged': 1 })
    const expected = await direct.getPrompt({ name, arguments: args })
    expect(timeless(result)).toMatchObject(timeless(JSON.parse(published(JSON.stringify(expected)))) as object)
  }

  const { resources } = await direct.listResources()
  expect(resources.length).toBeGreaterThan(3)
  const listed = (await client.listResources()).resources.map(({ uri }) => uri)
  for (const { uri } of resources) expect(listed).toContain(`every.${uri}`)
  const read = [resources[0]!.uri, 'demo://resource/dynamic/text/2', 'demo://resource/dynamic/blob/3']
  for (const uri of read) {
    const { contents, _meta } = await client.readResource({ uri: `every.${uri}` })
    expect(_meta).toMatchObject({ 'finmeter/credits-charged': 3 })
    const expected = JSON.parse(published(JSON.stringify((await direct.readResource({ uri })).contents)))
    expect(timeless(contents)).toEqual(timeless(expected))
  }
  expect(await seller.balance()).toBe(before - 2 - 3 * 1 - 3 * 3)
  await client.close()
  await direct.close()
})

test('server-memory by a stdio bridge: a graph is the one that is built directly', async () => {
  const program_ = (file: string) => ({
    command: process.execPath,
    stderr: 'ignore' as const,
    args: [program('memory')],
    env: { MEMORY_FILE_PATH: join(folder, file) },
  })
  const bridge = await startStdioBridge(program_('sold.jsonl'))
  await seller.add('memory', `${bridge.url}/mcp`, { stateful: true })
  const entity = { name: 'ACME', entityType: 'company', observations: ['makes rockets'] }
  const client = await seller.connected()
  const created = await client.callTool({ name: 'memory_create_entities', arguments: { entities: [entity] } })
  expect(created).toMatchObject({ structuredContent: { entities: [entity] }, _meta: { 'finmeter/credits-charged': 2 } })
  const direct = new Client({ name: 'test', version: '1' })
  await direct.connect(new StdioClientTransport(program_('direct.jsonl')))
  await direct.callTool({ name: 'create_entities', arguments: { entities: [entity] } })
  await compare('memory', direct, [
    ['search_nodes', { query: 'rockets' }],
    ['open_nodes', { names: ['ACME', 'NONE'] }],
    ['read_graph', {}],
    ['add_observations', { observations: [{ entityName: 'NONE', contents: ['x'] }] }],
  ])
  await client.close()
  await direct.close()
  await bridge.close()
})

test('server-filesystem by a stdio bridge: files, folders, a picture, and paths that it refuses', async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
  await writeFile(join(folder, 'prices.csv'), 'symbol,price\nACME,1.5\n')
  await writeFile(join(folder, 'pixel.png'), Buffer.from(pixel, 'base64'))
  const files = { command: process.execPath, stderr: 'ignore' as const, args: [program('filesystem'), folder] }
  const bridge = await startStdioBridge(files)
  await seller.add('disk', `${bridge.url}/mcp`, { stateful: true, operations: { write_file: { publish: false } } })
  const direct = new Client({ name: 'test', version: '1' })
  await direct.connect(new StdioClientTransport(files))
  await compare('disk', direct, [
    ['read_text_file', { path: join(folder, 'prices.csv') }],
    ['read_media_file', { path: join(folder, 'pixel.png') }],
    ['list_directory', { path: folder }],
    ['list_allowed_directories', {}],
    ['read_text_file', { path: '/etc/passwd' }],
  ])
  expect((await seller.post('disk/write_file', { path: join(folder, 'x'), content: 'x' })).status).toBe(404)
  await direct.close()
  await bridge.close()
})
