import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProofAccount } from './accounts.ts'
import { callMeterDoor } from './call-meter-door.ts'
import { callStream } from './call-stream.ts'
import { type Caller, type Callers, count, PAUSE_MS, pick } from './caller.ts'
import { type Ask, asks, gatewayAsk, type Reply, send as sendOnce, upstreamAsks } from './requests.ts'

const WITH_KEY = 0.4
const REPEATED = 0.3
/** Of all calls: each kind has what lies between its share and the one before; the rest are for our own tools. */
const SHARES = { streams: 0.04, meterDoor: 0.08, gateway: 0.12, calls: 0.27 }
/** A call whose server died keeps its key until its time is up, which a caller of the proof does not wait for. */
const MOST_WAITS = 25

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
