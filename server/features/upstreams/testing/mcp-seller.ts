import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startTestServer, type TestServer } from '../../../testing/harness.ts'
import { makeLoadTestAccount } from '../../operator/make-load-test-account.ts'
import { addVersion } from '../add-version.ts'
import type { McpManifest } from '../manifest.ts'
import { loadTools } from '../mcp/load-tools.ts'
import { type Prepared, prepareVersion } from '../prepare-version.ts'
import { parseManifest } from '../read-manifest.ts'

type Mode = 'auto' | 'legacy'

/** The product as it sells MCP servers on loopback, and a customer with 1,000 credits. */
export interface McpSeller {
  server: TestServer
  key: string
  prepare: (id: string, url: string, more?: object) => Promise<Prepared>
  /** Publishes a version and waits until it is served. `more`: of its manifest, where a call costs 2 credits. */
  add: (id: string, url: string, more?: object) => Promise<number>
  /** A real client of our endpoint. */
  connected: (mode?: Mode) => Promise<Client>
  get: (path: string) => Promise<Response>
  post: (path: string, body: object) => Promise<Response>
  /** What is left of the 1,000. */
  balance: () => Promise<number>
  /** The usage rows of the customer, oldest first. */
  usage: () => Promise<{ tool: string; credits: number; success: boolean }[]>
}

export async function startMcpSeller(): Promise<McpSeller> {
  const server = await startTestServer()
  const { db, deps } = server
  const { accountId, key } = await makeLoadTestAccount(db.kysely, deps.secrets, 1_000)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const prepare: McpSeller['prepare'] = async (id, url, more = {}) => {
    const manifest = parseManifest({
      id,
      kind: 'mcp',
      base: url,
      private_hosts: ['127.0.0.1'],
      defaults: { credits: 2 },
      ...more,
    }) as McpManifest
    const document = await loadTools(manifest, { env: process.env, secrets: deps.secrets })
    return prepareVersion(manifest, document, process.env, deps.tools)
  }
  return {
    server,
    key,
    prepare,
    async add(id, url, more) {
      const prepared = await prepare(id, url, more)
      const served = new Promise<void>((done) => {
        const end = deps.tools.onChange(() => {
          end()
          done()
        })
      })
      const number = await addVersion(db.kysely, prepared, false)
      await served
      return number
    },
    async connected(mode = 'auto') {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
      const requestInit = { headers: { authorization: `Bearer ${key}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
      return client
    },
    get: (path) => fetch(`${server.url}/v1/${path}`, { headers }),
    post: (path, body) => fetch(`${server.url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
    async balance() {
      const { rows } = await db.pool.query(
        'select c.balance::int as n from credit_accounts c join accounts a on a.id = c.account_id where a.public_id = $1',
        [accountId],
      )
      return rows[0].n
    },
    async usage() {
      const { rows } = await db.pool.query(
        `select t.name as tool, (u.from_credits + u.from_payg)::int as credits, u.success from usage_events u
         join tools t on t.id = u.tool_id join accounts a on a.id = u.account_id where a.public_id = $1 order by u.at, u.batch, u.n`,
        [accountId],
      )
      return rows
    },
  }
}
