import { decodeReceiptId } from '../../../features/metering/receipt-id.ts'
import { makeLoadTestAccount } from '../../../features/operator/make-load-test-account.ts'
import { addVersion } from '../../../features/upstreams/add-version.ts'
import type { McpManifest } from '../../../features/upstreams/manifest.ts'
import { loadTools } from '../../../features/upstreams/mcp/load-tools.ts'
import { prepareVersion } from '../../../features/upstreams/prepare-version.ts'
import { parseManifest } from '../../../features/upstreams/read-manifest.ts'
import type { TestServer } from '../../harness.ts'
import { type Customer, call, type Got } from './call.ts'
import { type Case, createDraw } from './cases.ts'
import { type Expected, expectedAgain, expectedOf } from './model.ts'
import { apiDocument, apiManifest, type ImperfectUpstreams, mcpManifest } from './upstreams.ts'

export interface ImperfectProof {
  calls: number
  overMcp: number
  streams: number
  ofMcpServer: number
  delivered: number
  failed: number
  credits: number
  differences: string[]
}

interface Made {
  what: string
  expected: Expected
  got: Got
}

const CALLERS = 12

/** Sells both upstreams on `server`, and compares each of `calls` calls, and every charge in the database, with the model. */
export async function proveImperfect(
  server: TestServer,
  upstreams: ImperfectUpstreams,
  { calls, seed }: { calls: number; seed: number },
): Promise<ImperfectProof> {
  await publish(server, upstreams)
  const { accountId, key } = await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 1_000_000)
  const customer: Customer = { url: server.url, key, upstreams }
  const draw = createDraw(seed)
  const made: Made[] = []
  const proof = { calls: 0, overMcp: 0, streams: 0, ofMcpServer: 0, delivered: 0, failed: 0, credits: 0 }
  const make = async (one: Case, expected: Expected, key?: string): Promise<void> => {
    const got = await call(customer, one, key)
    proof.calls++
    if (one.door === 'mcp') proof.overMcp++
    if (one.kind === 'stream') proof.streams++
    if (one.kind === 'tool') proof.ofMcpServer++
    proof[expected.delivered ? 'delivered' : 'failed']++
    proof.credits += expected.credits
    made.push({ what: `${JSON.stringify(one)}${key ? ` with key ${key}` : ''}`, expected, got })
  }
  let drawn = 0
  const caller = async (): Promise<void> => {
    while (proof.calls < calls) {
      const one = draw(drawn++)
      upstreams.play(one)
      const repeats = one.kind === 'whole' && one.door === 'rest' && one.repeats
      const key = repeats ? `key-${one.id}` : undefined
      await make(one, expectedOf(one), key)
      if (repeats) await make(one, expectedAgain(one), key)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return { ...proof, differences: await compare(server, accountId, made, proof.credits) }
}

async function publish(server: TestServer, { apiUrl, mcpUrl }: ImperfectUpstreams): Promise<void> {
  const { db, deps } = server
  const api = await prepareVersion(parseManifest(apiManifest(apiUrl)), apiDocument, {}, deps.tools)
  const flawed = parseManifest(mcpManifest(mcpUrl)) as McpManifest
  const document = await loadTools(flawed, { env: {}, secrets: deps.secrets })
  const mcp = await prepareVersion(flawed, document, {}, deps.tools)
  for (const prepared of [api, mcp]) await addVersion(db.kysely, prepared, false)
  const isServed = () => ['imperfect_fixed', 'flawed_tool_rows'].every((name) => deps.tools.current().get(name))
  while (!isServed()) await new Promise<void>((done) => void deps.tools.onChange(() => done()))
}

/** Each call with its model, and what the database has of the account with the sum. */
async function compare(server: TestServer, account: string, made: Made[], credits: number): Promise<string[]> {
  const charges = await chargesOfStreams(server, account, made)
  const differences = made.flatMap(({ what, expected, got }) => {
    const charged = typeof got.credits === 'number' ? got.credits : charges.get(got.credits.receipt)
    if (got.delivered === expected.delivered && charged === expected.credits) return []
    return [`${what}: ${said(expected.delivered, expected.credits)}, was ${said(got.delivered, charged)}`]
  })
  const { rows } = await server.db.pool.query(
    `select sum(u.from_credits + u.from_payg)::int as charged from usage_events u join accounts a on a.id = u.account_id where a.public_id = $1`,
    [account],
  )
  if (rows[0].charged !== credits) differences.push(`the database has ${rows[0].charged} credits, the model ${credits}`)
  return differences
}

const said = (delivered: boolean, credits: number | undefined): string =>
  `${delivered ? 'delivered' : 'failed'} for ${credits}`

/** The charges of streams by their receipts, when all are settled. */
async function chargesOfStreams({ db }: TestServer, account: string, made: Made[]): Promise<Map<string, number>> {
  const due = made.flatMap(({ got }) => (typeof got.credits === 'number' ? [] : [got.credits.receipt]))
  const until = performance.now() + 60_000
  for (;;) {
    const { rows } = await db.pool.query(
      `select 'rcps_' || s.id as stream, s.receipt_id as receipt from stream_receipts s
       join accounts a on a.id = s.account_id where a.public_id = $1`,
      [account],
    )
    const calls = new Map(rows.map(({ stream, receipt }) => [stream, receipt]))
    if (due.some((receipt) => !calls.has(receipt)) && performance.now() < until) {
      await new Promise((done) => setTimeout(done, 50))
      continue
    }
    const usage = await db.pool.query(
      `select batch || ' ' || n as call, (from_credits + from_payg)::int as charged from usage_events u
       join accounts a on a.id = u.account_id where a.public_id = $1`,
      [account],
    )
    const charged = new Map(usage.rows.map((row) => [row.call, row.charged]))
    return new Map(
      due.flatMap((receipt) => {
        const ref = decodeReceiptId(calls.get(receipt) ?? '')
        return ref ? [[receipt, charged.get(`${ref.batch} ${ref.n}`)!] as const] : []
      }),
    )
  }
}
