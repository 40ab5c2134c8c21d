import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { freePort } from '../db/embedded.ts'
import { plainBars } from '../features/datasets/testing/dataset-folder.ts'
import { acmeDocument } from '../features/upstreams/testing/acme-document.ts'
import { type Loopback, startLoopback } from '../features/upstreams/testing/loopback.ts'
import { priceTool, startMcpLoopback } from '../features/upstreams/testing/mcp-loopback.ts'
import { type ServerProcess, startServerProcess } from '../testing/process.ts'
import { runCommand } from '../testing/run-admin.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

// The first minutes of somebody who sells an API: npm start on the embedded database, then commands beside the running server.
const folder = temporaryFolder()
let upstream: Loopback
let server: ServerProcess
let port: number
let key: string
let answer = '{"price":1.5}'
const env = () => ({ FINMETER_DATA_DIR: join(folder, 'data'), ACME_KEY: 'sk-acme-0123456789' })

beforeAll(async () => {
  upstream = await startLoopback((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer),
  )
  await writeFile(join(folder, 'acme.json'), acmeDocument)
  port = await freePort()
  server = startServerProcess({ ...env(), PORT: String(port) })
  await server.ready
  key = (await runCommand('admin', ['loadtest', '--credits', '10'], env())).out.trimEnd().split('\n').at(-1)!
})
afterAll(async () => {
  await server?.stop()
  upstream?.close()
})

const offer = (line: string) =>
  `The demonstration is served beside it. To serve only what is yours, add this line to shop.yaml and apply it (docs/shop.md): ${line}`
const run = (...words: string[]) => runCommand('upstream', words, env())
const curl = (path: string, more: string[] = []): Promise<string> =>
  new Promise((done, failed) => {
    const words = ['-s', '-i', '-H', `Authorization: Bearer ${key}`, ...more, `http://localhost:${port}${path}`]
    execFile('curl', words, (error, out) => (error ? failed(error) : done(out)))
  })

test('add, then customers call it by curl and MCP, with receipt and reference', async () => {
  const { code, out, err } = await run(
    'add',
    join(folder, 'acme.json'),
    '--id',
    'acme',
    '--base',
    upstream.url,
    '--price',
    '1',
    '--auth',
    'header:X-Key=env:ACME_KEY',
  )
  expect([code, err]).toEqual([0, ''])
  expect(out.trimEnd().split('\n')).toEqual([
    'acme_get_price  GET /v1/acme/prices/{symbol}  1 credit per call  MCP',
    'acme_search  GET /v1/acme/search  1 credit per call  MCP',
    'Not published, because the method is POST: name it to publish it: placeOrder',
    'acme version 1 is served.',
    offer('builtins: off'),
  ])
  await expect.poll(() => curl('/v1/acme/prices/ACME')).toMatch(/^HTTP\/1.1 200 /)
  const answer = await curl('/v1/acme/prices/ACME?days=5')
  expect(answer).toContain('{"price":1.5}')
  expect(answer.toLowerCase()).toContain('x-credits-charged: 1')
  const receipt = /x-receipt-id: (\S+)/i.exec(answer)![1]!
  expect((await runCommand('admin', ['call', receipt], env())).out).toContain('acme_get_price')
  const openapi = (await (await fetch(`http://localhost:${port}/openapi.json`)).json()) as { paths: object }
  expect(Object.keys(openapi.paths)).toContain('/v1/acme/prices/{symbol}')

  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://localhost:${port}/mcp`), { requestInit }))
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('acme_search')
  const called = await client.callTool({ name: 'acme_get_price', arguments: { symbol: 'ACME' } })
  expect(JSON.stringify(called.content)).toContain('1.5')
  await client.close()
})

test('a manifest is checked and published as the next version; list, rollback, pause and remove are seen by the server', async () => {
  const path = join(folder, 'acme.yaml')
  const manifest = `id: acme
kind: openapi
document: acme.json
base: ${upstream.url}
auth: { header: X-Key, secret: ACME_KEY }
private_hosts: [127.0.0.1]
operations:
  search: { credits: 3 }
`
  await writeFile(path, manifest)
  expect((await run('document', 'acme')).out).toBe(`${acmeDocument}\n`)
  expect((await run('validate', path)).out).toContain('acme_search  GET /v1/acme/search  3 credits per call  MCP')
  expect((await run('publish', path)).out).toContain('acme version 2 is served.')
  await expect.poll(() => curl('/v1/acme/search?q=x')).toMatch(/x-credits-charged: 3/i)
  expect((await run('list')).out).toBe('acme  published  version 2; also kept: 1\n')
  expect((await run('rollback', 'acme')).out).toBe('acme version 1 is served.\n')
  await expect.poll(() => curl('/v1/acme/prices/ACME')).toMatch(/^HTTP\/1.1 200 /)
  expect((await run('pause', 'acme')).code).toBe(0)
  await expect.poll(() => curl('/v1/acme/prices/ACME')).toMatch(/^HTTP\/1.1 404 /)
  expect((await run('signing-key', 'acme')).out).toMatch(/^[A-Za-z0-9+/]{43}=\n$/)
  expect((await run('remove', 'acme')).out).toBe('acme is removed.\n')
  expect((await run('list')).out).toBe('There are no upstreams.\n')
})

test('the tools of an MCP server are sold by one command', async () => {
  const tools = await startMcpLoopback([priceTool])
  tools.answer = () => ({ content: [{ type: 'text', text: '1.5' }] })
  const words = ['--id', 'shop', '--price', '2', '--auth', 'bearer=env:ACME_KEY']
  const { out, err } = await run('add-mcp', `${tools.url}/mcp`, ...words)
  expect([out, err]).toEqual([
    'shop_get_price  POST /v1/shop/get-price  2 credits per call  MCP\nshop version 1 is served.\n'.concat(
      offer('builtins: off'),
      '\n',
    ),
    '',
  ])
  const call = ['-H', 'content-type: application/json', '-d', '{"symbol":"ACME"}']
  await expect.poll(() => curl('/v1/shop/get-price', call)).toMatch(/x-credits-charged: 2[\s\S]*"text":"1.5"/i)
  tools.tools = [{ ...priceTool, description: 'Another.' }]
  expect((await run('add-mcp', `${tools.url}/mcp`, ...words)).out).toContain(
    'Changed since version 1: get-price (description)\nshop version 2 is served.',
  )
  tools.close()
})

// What a terminal would carry out, or hide, and what would stand as a line of its own.
const FORGED = '\u001b[2K\rpetstore 1 is served\npetstore 1 is served\u009b2K\u202e\u{e0041}'
const SHOWN = '\\u{1b}[2K\\u{d}petstore 1 is served\\u{a}petstore 1 is served\\u{9b}2K\\u{202e}\\u{e0041}'
const SHOWN_IN_LIST = SHOWN.replace('\\u{a}', ' ')
const UNSAFE = /[^\P{C}\n]|^petstore 1/mu

test('names, paths and faults in a description cannot forge a line on the terminal', async () => {
  const add = async (paths: object, ...words: string[]) => {
    const path = join(folder, 'hostile.json')
    await writeFile(path, JSON.stringify({ openapi: '3.1.0', info: { title: FORGED, version: '1' }, paths }))
    return run('add', path, '--id', 'petstore', '--base', upstream.url, '--price', '1', ...words)
  }
  const described = (schema: object, operationId: string) => ({
    operationId,
    responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } },
  })
  const refused = await add({ '/a': { get: { operationId: FORGED, parameters: [{ name: FORGED, in: FORGED }] } } })
  expect(refused.err).toContain(` query nor header: ${SHOWN_IN_LIST}\n`)
  const added = await add({
    '/a': { get: described({ properties: { [FORGED]: { type: 'string' } } }, 'fine') },
    '/b\u001b[2K': { get: described({}, 'hidden') },
    '/c': { post: described({}, FORGED), get: { parameters: [{ name: 'c', in: FORGED }] } },
  })
  const [operation, ...left] = added.out.split('\n')
  expect(operation).toBe('petstore_fine  GET /v1/petstore/a  1 credit per call  MCP')
  expect(left).toContain(`Not published, because the method is POST: name it to publish it: ${SHOWN_IN_LIST}`)
  expect(added.out).toContain('other characters that no path here may have: hidden\n')
  expect(added.out).toContain('Faults in the description that do not prevent publishing')
  expect(left.at(-3)).toBe('petstore version 1 is served.')
  answer = JSON.stringify({ [FORGED]: 1 })
  await expect.poll(() => curl('/v1/petstore/a')).toMatch(/^HTTP\/1.1 200 /)
  await expect.poll(async () => (await run('list')).out).toContain(`(#/properties/${SHOWN}/type: must be string)`)
  const terminal = { NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true' }
  const outputs = [
    refused,
    added,
    await run('list'),
    await runCommand('upstream', ['document', 'petstore'], { ...env(), ...terminal }),
  ]
  for (const { out, err } of outputs) expect(`${out}${err}`).not.toMatch(UNSAFE)
  expect((await run('document', 'petstore')).out).toContain('\u202e')
  await run('remove', 'petstore')
})

test('what is published is served beside the demonstration, and the commands say so until shop.yaml decides', async () => {
  await writeFile(join(folder, 'own.yaml'), stringify(plainBars))
  await writeFile(join(folder, 'prices.csv'), 'symbol,date,open,high,low,close,volume\nOWN,2024-01-02,1,1,1,1,1\n')
  const words = ['add', join(folder, 'acme.json'), '--id', 'acme', '--base', upstream.url, '--price', '1']
  const both = async () => [
    (await runCommand('data', ['publish', join(folder, 'own.yaml')], env())).out,
    (await run(...words)).out,
  ]
  for (const out of await both()) expect(out.split('\n')).toContain(offer('builtins: [market-data]'))
  await writeFile(join(folder, 'shop.yaml'), 'name: Acme\nbuiltins: [market-data]\n')
  expect((await runCommand('shop', ['apply', join(folder, 'shop.yaml')], env())).code).toBe(0)
  for (const out of await both()) {
    expect(out).toContain(' is served')
    expect(out).not.toContain('demonstration')
  }
  await run('remove', 'acme')
})

test.each([
  [
    ['add', 'none.json', '--id', 'acme', '--base', 'https://api.acme.example', '--price', '1'],
    `There is no file ${join(process.cwd(), 'none.json')}.`,
  ],
  [['add', 'a.json', '--id', 'acme'], 'npm run upstream -- add <document>'],
  [['add-mcp', 'https://mcp.acme.example/mcp', '--id', 'tools'], 'npm run upstream -- add <document>'],
  [
    ['add-mcp', 'npx -y server-everything', '--id', 'tools', '--price', '1'],
    'npx -y server-everything is no address of an MCP server. A server that is started by a command needs a gateway before it, such as: npx mcp-proxy --host 127.0.0.1 --port 8080 -- npx -y server-everything. Then add http://127.0.0.1:8080/mcp.',
  ],
  [['publish', 'none'], 'There is no upstream none.'],
  [['publish', 'none', '--version', 'x'], '--version: expected a number, not x.'],
  [['pause'], 'npm run upstream -- add <document>'],
  [['sell'], 'npm run upstream -- add <document>'],
])('%j is refused with a message', async (words, message) => {
  const { code, err } = await run(...words)
  // 2: the words are not those of the command.
  expect(code).toBe(message.startsWith('npm run') ? 2 : 1)
  expect(err).toContain(message)
})
