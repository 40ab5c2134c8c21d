import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import type { ProofAccount } from './accounts.ts'
import { callMeterDoor } from './call-meter-door.ts'
import { callStream } from './call-stream.ts'
import { type Ask, asks, gatewayAsk, type Reply, send as sendOnce, upstreamAsks } from './requests.ts'
import { type Seen, unexpected } from './seen.ts'

export const PAUSE_MS = 20
const WITH_KEY = 0.4
const REPEATED = 0.3
/** Of all calls: each kind has what lies between its share and the one before; the rest are for our own tools. */
const SHARES = { streams: 0.04, meterDoor: 0.08, gateway: 0.12, calls: 0.27 }
/** A call whose server died keeps its key until its time is up, which a caller of the proof does not wait for. */
const MOST_WAITS = 25

export interface Callers {
  accounts: ProofAccount[]
  /** Ports of the servers that are running now. */
  ports: () => number[]
  seen: Seen
  /** True when enough was sent. */
  done: () => boolean
  /** True when the run has failed, so there is no point in repeating anything. */
  failed: () => boolean
  /** Absent: only our own tools are called. */
  upstream?: CalledUpstream
}

/** What callers of an upstream's operations need besides. */
export interface CalledUpstream {
  db: Database
  serviceKey: string
  /** By port: streams that are being read. */
  streaming: Map<number, number>
}

/** One of the callers. */
export type Caller = Omit<Callers, 'upstream'> & { agent: Agent }
export type UpstreamCaller = Caller & CalledUpstream

export const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

/**
 * Sends one request after another: any account, any server, REST or MCP, our own tools and an upstream's, streams, and the
 * requests of services that settle themselves; some with an idempotency key, repeated until answered.
 */
export async function callUntilDone(callers: Callers): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const caller = { ...callers, agent }
  while (!callers.done()) {
    const account = pick(callers.accounts)
    const { upstream } = callers
    const kind = upstream ? Math.random() : 1
    if (!upstream || kind >= SHARES.calls) await callTool(caller, account, pick(asks))
    else if (kind < SHARES.streams) await callStream({ ...caller, ...upstream }, account)
    else if (kind < SHARES.meterDoor) await callMeterDoor({ ...caller, ...upstream }, account)
    else if (kind < SHARES.gateway) await callTool(caller, account, gatewayAsk(upstream.serviceKey))
    else await callTool(caller, account, pick(upstreamAsks))
  }
  agent.destroy()
}

async function send(
  { seen, agent, ports }: Caller,
  account: ProofAccount,
  ask: Ask,
  key?: string,
): Promise<Reply | null> {
  seen.sent++
  if (ask.surface === 'mcp') seen.sentOverMcp++
  else if (ask.path.startsWith('/v1/meter')) seen.sentToMeterDoor++
  if (upstreamAsks.includes(ask)) seen.sentToUpstream++
  try {
    return await sendOnce(agent, pick(ports()), ask, account.key, key)
  } catch {
    await sleep(PAUSE_MS)
    return null
  }
}

async function callTool(caller: Caller, account: ProofAccount, ask: Ask): Promise<void> {
  const { seen, failed } = caller
  const lose = () => seen.lost.push({ accountId: account.id, tool: ask.tool, least: ask.credits, most: ask.credits })
  if (Math.random() >= WITH_KEY || ('isKeyless' in ask && ask.isKeyless)) {
    const reply = await send(caller, account, ask)
    if (!reply) lose()
    count(seen, account, ask, reply)
    return
  }
  const key = randomUUID()
  const isKept = 'isKept' in ask && ask.isKept === true
  let first: Reply | null = null
  let uncertain = 0
  let waits = 0
  let repeats = Math.random() < REPEATED ? 2 : 1
  while (repeats > 0 && waits < MOST_WAITS && !failed()) {
    const reply = await send(caller, account, ask, key)
    count(seen, account, ask, reply)
    if (reply?.status === 200) {
      if (first !== null && first.receipt !== reply.receipt) seen.keysChargedTwice.push(key)
      if (first !== null && isKept && first.text !== reply.text) seen.otherAnswers.push(key)
      first ??= reply
    } else if (first === null && (!reply || reply.status > 500)) uncertain++
    if (reply?.status === 409) waits++
    if (reply && reply.status !== 503 && reply.status !== 409) repeats--
    else await sleep(PAUSE_MS)
  }
  if (waits === MOST_WAITS) lose()
  if ('method' in ask) seen.orders.push({ accountId: account.id, key, answered: first !== null, uncertain })
}

/** Counts an answer of a known price. */
export function count(
  seen: Seen,
  account: ProofAccount,
  { credits, tool }: Pick<Ask, 'credits' | 'tool'>,
  reply: Pick<Reply, 'status' | 'receipt' | 'credits' | 'code'> | null,
): void {
  if (!reply) seen.broken++
  else if (reply.status === 200) {
    if (reply.credits > 0) seen.charged++
    else seen.replayed++
    if (reply.credits > 0 && reply.credits !== credits)
      unexpected(seen, `${tool} cost ${reply.credits} instead of ${credits} (${account.kind})`)
    // The answer to the first request may have been lost, so that a repeat is the client's proof.
    seen.receipts.set(reply.receipt, { accountId: account.id, least: credits, most: credits })
  } else if (reply.status === 402 || reply.status === 403) seen.refused++
  else if (reply.status === 503) seen.unavailable++
  else if (tool.startsWith('proof_') && (reply.status === 502 || reply.status === 504)) seen.upstreamFailed++
  else if (tool.startsWith('proof_') && reply.status === 409) seen.underWay++
  else unexpected(seen, `status ${reply.status} ${reply.code ?? ''} (${tool}, ${account.kind})`)
}
