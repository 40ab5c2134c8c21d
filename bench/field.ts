import { type Database, openDatabase } from '../server/db/database.ts'
import { migrate } from '../server/db/migrate.ts'
import { makeAccounts } from './accounts.ts'
import { start } from './child.ts'
import { compareAnswers } from './compare.ts'
import type { Finmeter } from './finmeter.ts'
import { readTools, recordMcp, recordRest } from './record.ts'
import { barsPath, mcpRequests, quotePath, restRequests } from './requests.ts'
import type { Target, TargetId, Work } from './target.ts'
import type { McpPeerSetup, RestPeerSetup } from './wire.ts'

export interface Field {
  targets: Target[]
  /** Calls that were answered and charged before the first slice. */
  callsBefore: { finmeter: number; oneTransaction: number }
  /** The rows that one-transaction writes, to be verified like Finmeter's. */
  oneTransaction: Database
  close: () => Promise<void>
}

/** Starts every peer on the running product's PostgreSQL, and checks that each returns the product's answer. */
export async function prepareField(
  { port, connection: { db, secrets } }: Finmeter,
  accounts: number,
  tools?: number,
): Promise<Field> {
  const keys = await makeAccounts(db, secrets, accounts)
  const quotes: RestPeerSetup = { answers: await recordRest(port, keys[0]!, quotePath) }
  const bars: RestPeerSetup = { answers: await recordRest(port, keys[0]!, barsPath) }
  const mcp: McpPeerSetup = { ...(await readTools(port, keys[0]!, tools)), calls: await recordMcp(port, keys[0]!) }

  const plainUrl = await createDatabase(db, 'bench_one_transaction')
  const betterAuthUrl = await createDatabase(db, 'bench_better_auth')
  const oneTransaction = openDatabase(plainUrl, 4, () => {})
  await migrate(oneTransaction)
  const plainKeys = await makeAccounts(oneTransaction, secrets, accounts)

  const bare = await start('peers/bare.ts', quotes)
  const bareBars = await start('peers/bare.ts', bars)
  const plain = await start('peers/one-transaction.ts', { ...quotes, databaseUrl: plainUrl })
  const betterAuth = await start('peers/better-auth.ts', { ...quotes, databaseUrl: betterAuthUrl, keys: accounts })
  const bareMcp = await start('peers/bare-mcp.ts', mcp)
  const sdk = await start('peers/mcp-sdk.ts', mcp)

  const target = (id: TargetId, label: string, peer: { port: number }, requests: string[]): Target => {
    return { id, work: id.split('-')[0] as Work, label, port: peer.port, requests }
  }
  const quoteCalls = restRequests(keys, quotePath)
  const barCalls = restRequests(keys, barsPath)
  const mcpCalls = mcpRequests(keys)
  const targets = [
    target('rest-bare', 'bare node:http, the same bytes', bare, quoteCalls),
    target('rest-finmeter', 'Finmeter, metered', { port }, quoteCalls),
    target('rest-one-transaction', 'one transaction per call', plain, restRequests(plainKeys, quotePath)),
    target('rest-better-auth', 'Better Auth verifyApiKey', betterAuth, restRequests(betterAuth.keys ?? [], quotePath)),
    target('mcp-bare', 'bare node:http, the same bytes', bareMcp, mcpCalls),
    target('mcp-finmeter', 'Finmeter, metered', { port }, mcpCalls),
    target('mcp-sdk', 'MCP SDK server, not metered', sdk, mcpCalls),
    target('bars-bare', 'bare node:http, the same bytes', bareBars, barCalls),
    target('bars-finmeter', 'Finmeter, metered', { port }, barCalls),
  ]
  await compareAnswers(targets)
  // What was recorded, and one call of each kind in the comparison.
  const finmeter = quotes.answers.length + bars.answers.length + mcp.calls.length + 3
  return { targets, callsBefore: { finmeter, oneTransaction: 1 }, oneTransaction, close: () => oneTransaction.close() }
}

/** A separate database on the product's server. */
async function createDatabase(db: Database, name: 'bench_one_transaction' | 'bench_better_auth'): Promise<string> {
  await db.pool.query(`create database ${name}`)
  const other = new URL(db.pool.options.connectionString ?? '')
  other.pathname = `/${name}`
  return other.toString()
}
