import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import { countUndecided } from '../../features/agent-payments/undecided.ts'
import { firstBytes } from '../../net/first-bytes.ts'
import type { Report } from './report.ts'

const MOST_MS = 5_000
const MOST_BYTES = 64 * 1024

/** Whether agents can pay: facilitator and node are those of the network. */
export async function checkAgentPayments({ config }: { config: Config }, report: Report) {
  const { AGENT_PAYMENTS, X402_NETWORK: network, X402_FACILITATOR: facilitator, X402_RPC_URL: node } = config
  if (AGENT_PAYMENTS === 'off') return
  const problems = (
    await Promise.all([facilitatorProblem(facilitator!, network!), nodeProblem(node!, network!)])
  ).filter((problem) => problem !== null)
  for (const problem of problems) report.wrong(problem)
  if (problems.length === 0) report.ok(`agents can pay on ${network}`)
}

async function facilitatorProblem(url: string, network: string): Promise<string | null> {
  const answer = await ask(`${url.replace(/\/+$/, '')}/supported`)
  const kinds = (answer as { kinds?: unknown } | null)?.kinds
  if (!Array.isArray(kinds)) return 'X402_FACILITATOR does not say what it supports: agents cannot pay.'
  const serves = kinds.some(
    (kind) => kind?.x402Version === 2 && kind.scheme === 'exact' && [network, 'eip155:*'].includes(kind.network),
  )
  return serves ? null : `X402_FACILITATOR does not settle payments of the scheme "exact" on ${network}.`
}

async function nodeProblem(url: string, network: string): Promise<string | null> {
  const answer = await ask(url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const chain = Number((answer as { result?: unknown } | null)?.result)
  if (!Number.isInteger(chain)) return 'X402_RPC_URL does not answer: what became of a payment cannot be found out.'
  return `eip155:${chain}` === network ? null : `X402_RPC_URL is a node of eip155:${chain}, not of ${network}.`
}

/** Whether a payment has been undecided for long. The console has a finding of its own for it. */
export async function checkUndecided({ config, db }: { config: Config; db: Database }, report: Report) {
  if (config.AGENT_PAYMENTS === 'off') return
  const late = await countUndecided(db.kysely)
  const some = late === 1 ? 'One payment of an agent is' : `${late} payments of agents are`
  if (late > 0) report.wrong(`${some} undecided: npm run admin -- payments --state unknown`)
}

/** Null: no answer that can be read. */
async function ask(url: string, body?: object): Promise<unknown> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(MOST_MS),
      ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    return JSON.parse((await firstBytes(response, MOST_BYTES)).bytes.toString())
  } catch {
    return null
  }
}
