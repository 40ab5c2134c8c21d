import { execFile } from 'node:child_process'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createSecrets } from '../../secrets/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/harness.ts'
import { mcpCommand } from '../../testing/mcp-command.ts'
import { type ServerProcess, startServerProcess } from '../../testing/process.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'

const KEYS_SECRET = 'ef'.repeat(32)
const inspector = mcpCommand('@modelcontextprotocol/inspector/clients/launcher/build/index.js')

const dataDir = temporaryFolder()
let database: TestDatabase
let server: ServerProcess
let url: string
let key: string
beforeAll(async () => {
  database = await createTestDatabase()
  const port = await freePort()
  server = startServerProcess({
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    KEYS_SECRET,
    PORT: String(port),
    SANDBOX: 'off',
    // Not what a developer, or another test, published below the current folder.
    FINMETER_DATA_DIR: dataDir,
  })
  await server.ready
  url = `http://localhost:${port}/mcp`
  const account = await makeLoadTestAccount(database.db.kysely, createSecrets(KEYS_SECRET), 100)
  key = account.key
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

describe('the command line of the official Inspector', () => {
  const runInspector = (era: string, credential: string, args: string[]) =>
    new Promise<{ code: number; out: string; error: string }>((done) => {
      const target = ['--cli', '--server-url', url, '--transport', 'http', '--protocol-era', era, '--quiet']
      const auth = ['--stored-auth-only', '--header', `Authorization: Bearer ${credential}`]
      execFile(process.execPath, [inspector, ...target, ...auth, ...args], (error, out, err) =>
        done({ code: error ? Number(error.code) : 0, out, error: err }),
      )
    })
  const callAdd = (args: object) => [
    '--method',
    'tools/call',
    '--tool-name',
    'add',
    '--tool-args-json',
    JSON.stringify(args),
  ]

  test.each(['legacy', 'modern'])('lists, calls and reports errors correctly (%s)', async (era) => {
    const [listed, called, wrong, refused] = await Promise.all([
      runInspector(era, key, ['--method', 'tools/list']),
      runInspector(era, key, callAdd({ a: 2, b: 3 })),
      runInspector(era, key, callAdd({ a: 2 })),
      runInspector(era, 'fm_wrong', ['--method', 'tools/list']),
    ])
    expect(JSON.parse(listed.out).tools.map((tool: { name: string }) => tool.name)).toEqual(
      expect.arrayContaining(['add', 'echo', 'timestamp', 'get_bars', 'search_symbols']),
    )
    expect([called.code, JSON.parse(called.out).structuredContent]).toEqual([0, { result: 5 }])
    expect([wrong.code, JSON.parse(wrong.out).content[0].text]).toEqual([5, 'b is required.'])
    expect([refused.code, JSON.parse(refused.error).error.code]).toEqual([3, 'auth_required'])
  })
})

const generations = {
  '2.x, 2026-07-28': async (credential: string) => {
    const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new ModernTransport(new URL(url), withKey(credential)))
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    return client
  },
  '2.x, handshake': async (credential: string) => {
    const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
    await client.connect(new ModernTransport(new URL(url), withKey(credential)))
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25')
    return client
  },
  '1.x': async (credential: string) => {
    const client = new OldClient({ name: 'test', version: '1' })
    await client.connect(new OldTransport(new URL(url), withKey(credential)))
    return client
  },
}
const withKey = (credential: string) => ({ requestInit: { headers: { 'x-api-key': credential } } })

test.each(Object.entries(generations))(
  'the official SDK %s lists, calls, reads and reports errors correctly',
  async (_name, connect) => {
    const client = await connect(key)
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThanOrEqual(15)
    // The client checks the result against the tool's output schema.
    const quote = await client.callTool({ name: 'get_quote', arguments: { symbols: ['AAPL'] } })
    expect(quote._meta).toMatchObject({ 'finmeter/credits-charged': 1 })
    const unknown = await client.callTool({ name: 'get_quote', arguments: { symbols: ['NO_SUCH'] } })
    expect(unknown).toMatchObject({ isError: true, _meta: { 'finmeter/credits-charged': 0 } })
    const { resources } = await client.listResources()
    expect((await client.readResource({ uri: resources[0]!.uri })).contents).toHaveLength(1)
    await expect(client.readResource({ uri: 'dataset://nope' })).rejects.toMatchObject({ code: -32602 })
    expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toContain('analyze_stock')
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('Unknown tool: nope')
    await client.close()
    await expect(connect('fm_wrong')).rejects.toThrow(/not valid|Unauthorized|401|authorization/)
  },
)
