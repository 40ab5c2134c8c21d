import { type Database, openDatabase } from '../server/db/database.ts'
import { migrate } from '../server/db/migrate.ts'
import { makeAccounts } from './accounts.ts'
import { start } from './child.ts'
import type { Finmeter } from './finmeter.ts'
import { answerTo, readTool, recordMcp, recordRest } from './record.ts'
import { mcpRequests, restRequests } from './requests.ts'
import type { McpPeerSetup, RestPeerSetup } from './wire.ts'

export type TargetId =
  | 'rest-bare'
  | 'rest-finmeter'
  | 'rest-one-transaction'
  | 'rest-better-auth'
  | 'mcp-bare'
  | 'mcp-finmeter'
  | 'mcp-sdk'

/** A server under load and the requests that it gets. */
export interface Target {
  id: TargetId
  surface: 'REST' | 'MCP'
  label: string
  port: number
  requests: string[]
}

export interface Field {
  targets: Target[]
  /** Calls that Finmeter has answered and charged before the first slice. */
  callsBefore: { finmeter: number; oneTransaction: number }
  /** What one-transaction writes, to be proved as Finmeter's rows are. */
  oneTransaction: Database
  betterAuthUrl: string
  close: () => Promise<void>
}

/** Starts every peer on the PostgreSQL of the running product, and checks that each gives the product's answer. */
export async function prepareField({ port, connection: { db, secrets } }: Finmeter, accounts: number): Promise<Field> {
  const keys = await makeAccounts(db, secrets, accounts)
  const rest: RestPeerSetup = { answers: await recordRest(port, keys[0]!) }
  const mcp: McpPeerSetup = { tool: await readTool(port, keys[0]!), calls: await recordMcp(port, keys[0]!) }

  const plainUrl = await createDatabase(db, 'bench_one_transaction')
  const betterAuthUrl = await createDatabase(db, 'bench_better_auth')
  const oneTransaction = openDatabase(plainUrl, 4, () => {})
  await migrate(oneTransaction)
  const plainKeys = await makeAccounts(oneTransaction, secrets, accounts)

  const bare = await start('peers/bare.ts', rest)
  const plain = await start('peers/one-transaction.ts', { ...rest, databaseUrl: plainUrl })
  const betterAuth = await start('peers/better-auth.ts', { ...rest, databaseUrl: betterAuthUrl, keys: accounts })
  const bareMcp = await start('peers/bare-mcp.ts', mcp)
  const sdk = await start('peers/mcp-sdk.ts', mcp)

  const restCalls = restRequests(keys)
  const mcpCalls = mcpRequests(keys)
  const targets: Target[] = [
    { id: 'rest-bare', surface: 'REST', label: 'bare node:http, the same bytes', port: bare.port, requests: restCalls },
    { id: 'rest-finmeter', surface: 'REST', label: 'Finmeter, metered call', port, requests: restCalls },
    {
      id: 'rest-one-transaction',
      surface: 'REST',
      label: 'one transaction per call',
      port: plain.port,
      requests: restRequests(plainKeys),
    },
    {
      id: 'rest-better-auth',
      surface: 'REST',
      label: 'Better Auth verifyApiKey',
      port: betterAuth.port,
      requests: restRequests(betterAuth.keys ?? []),
    },
    { id: 'mcp-bare', surface: 'MCP', label: 'bare node:http, the same bytes', port: bareMcp.port, requests: mcpCalls },
    { id: 'mcp-finmeter', surface: 'MCP', label: 'Finmeter, metered tools/call', port, requests: mcpCalls },
    { id: 'mcp-sdk', surface: 'MCP', label: 'MCP SDK server, not metered', port: sdk.port, requests: mcpCalls },
  ]
  await compareAnswers(targets)
  // Each recorded month, and one more call of each surface in the comparison.
  const callsBefore = { finmeter: rest.answers.length + mcp.calls.length + 2, oneTransaction: 1 }
  return { targets, callsBefore, oneTransaction, betterAuthUrl, close: () => oneTransaction.close() }
}

/** A peer that answered something else, or less, would not be doing the same work. */
async function compareAnswers(targets: Target[]): Promise<void> {
  const expected: Record<string, unknown> = {}
  for (const surface of ['REST', 'MCP'] as const) {
    const finmeter = targets.find((target) => target.surface === surface && target.id.endsWith('-finmeter'))!
    expected[surface] = essence(surface, (await answerTo(finmeter.port, finmeter.requests[0]!)).body)
  }
  for (const { surface, id, label, port, requests } of targets) {
    if (id.endsWith('-finmeter')) continue
    const { status, body } = await answerTo(port, requests[0]!)
    if (status !== 200 || essence(surface, body) !== expected[surface])
      throw new Error(`${label} answered ${status}, not what Finmeter answers: ${body.slice(0, 500)}`)
  }
}

/** The part of an answer that must be equal: all of it, or for MCP the result without receipt and server name. */
function essence(surface: Target['surface'], body: string): string {
  if (surface === 'REST') return body
  const { id, result } = JSON.parse(body) as { id: number; result?: Record<string, unknown> }
  return JSON.stringify([id, result?.content, result?.structuredContent])
}

/** A database beside the product's own, on the same server. */
async function createDatabase(db: Database, name: 'bench_one_transaction' | 'bench_better_auth'): Promise<string> {
  await db.pool.query(`create database ${name}`)
  const other = new URL(db.pool.options.connectionString ?? '')
  other.pathname = `/${name}`
  return other.toString()
}
