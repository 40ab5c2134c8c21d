import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProofAccount } from './accounts.ts'
import { type Ask, asks, type Reply, send as sendOnce } from './requests.ts'

/** Counts of what the clients saw. */
export interface Seen {
  /** Requests sent, repeats included. */
  sent: number
  /** Of these, tool calls over MCP. */
  sentOverMcp: number
  /** 200, with a charge. */
  charged: number
  /** 200, for an idempotency key that was already charged. */
  replayed: number
  /** 402 and 403. */
  refused: number
  /** 503: nothing may be charged. */
  unavailable: number
  /** No complete answer arrived. */
  broken: number
  /** Anything else. */
  unexpected: string[]
  /** Receipt of each charged answer, with account and credits. */
  receipts: Map<string, { accountId: number; credits: number }>
  /** By account: requests without an answer, which may have been charged. */
  unanswered: Map<number, number>
  /** Idempotency keys whose answers named more than one receipt. */
  keysChargedTwice: string[]
}

export const newSeen = (): Seen => ({
  sent: 0,
  sentOverMcp: 0,
  charged: 0,
  replayed: 0,
  refused: 0,
  unavailable: 0,
  broken: 0,
  unexpected: [],
  receipts: new Map(),
  unanswered: new Map(),
  keysChargedTwice: [],
})

const PAUSE_MS = 20
const WITH_KEY = 0.4
const REPEATED = 0.3

export interface Callers {
  accounts: ProofAccount[]
  /** Ports of the servers that are running now. */
  ports: () => number[]
  seen: Seen
  /** True when enough was sent. */
  done: () => boolean
  /** True when the run has failed, so there is no point in repeating anything. */
  failed: () => boolean
}

/**
 * Sends one request after another: any account, any server, REST or MCP; some with an idempotency key, repeated until
 * answered.
 */
export async function callUntilDone({ accounts, ports, seen, done, failed }: Callers): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
  const send = async (account: ProofAccount, ask: Ask, key?: string): Promise<Reply | null> => {
    seen.sent++
    if (ask.surface === 'mcp') seen.sentOverMcp++
    try {
      return await sendOnce(agent, pick(ports()), ask, account.key, key)
    } catch {
      await sleep(PAUSE_MS)
      return null
    }
  }
  while (!done()) {
    const account = pick(accounts)
    const ask = pick(asks)
    if (Math.random() >= WITH_KEY) {
      const reply = await send(account, ask)
      if (!reply) seen.unanswered.set(account.id, (seen.unanswered.get(account.id) ?? 0) + 1)
      count(seen, account, reply)
      continue
    }
    const key = randomUUID()
    let first: string | null = null
    let repeats = Math.random() < REPEATED ? 2 : 1
    while (repeats > 0 && !failed()) {
      const reply = await send(account, ask, key)
      count(seen, account, reply)
      if (reply?.status === 200) {
        if (first !== null && first !== reply.receipt) seen.keysChargedTwice.push(key)
        first ??= reply.receipt
      }
      if (reply && reply.status !== 503) repeats--
      else await sleep(PAUSE_MS)
    }
  }
  agent.destroy()
}

function count(seen: Seen, account: ProofAccount, reply: Reply | null): void {
  if (!reply) seen.broken++
  else if (reply.status === 200 && reply.credits > 0) {
    seen.charged++
    seen.receipts.set(reply.receipt, { accountId: account.id, credits: reply.credits })
  } else if (reply.status === 200) {
    seen.replayed++
    // The answer to the first request may have been lost, so this one is the client's proof.
    if (!seen.receipts.has(reply.receipt)) seen.receipts.set(reply.receipt, { accountId: account.id, credits: 1 })
  } else if (reply.status === 402 || reply.status === 403) seen.refused++
  else if (reply.status === 503) seen.unavailable++
  else if (seen.unexpected.length < 20)
    seen.unexpected.push(`status ${reply.status} ${reply.code ?? ''} (${account.kind})`)
}
