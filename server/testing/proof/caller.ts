import type { Agent } from 'node:http'
import type { Database } from '../../db/database.ts'
import type { ProofAccount } from './accounts.ts'
import type { Ask, Reply } from './requests.ts'
import { type Seen, unexpected } from './seen.ts'

export const PAUSE_MS = 20

export interface Callers {
  accounts: ProofAccount[]
  /** Ports of the servers that are running now. */
  ports: () => number[]
  seen: Seen
  /** True when enough was sent. */
  done: () => boolean
  /** True when the run has failed, so there is no point in repeating anything. */
  failed: () => boolean
  /** Without it, only our own tools are called. */
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
