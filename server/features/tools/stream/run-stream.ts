import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Deps } from '../../../deps.ts'
import type { Caller, CommitOutcome } from '../../metering/meter.ts'
import type { BodyAnswer, Tool } from '../define-tool.ts'
import type { Counted } from '../price.ts'
import { SETTLING_SECONDS } from '../register-tool.ts'
import { meterStream, type Settled } from './metered-stream.ts'
import { keepStreamReceipt, streamReceiptId } from './stream-receipts.ts'

const FIRST_DELAY_MS = 500
const MOST_DELAY_MS = 8_000

/**
 * Begins to deliver a stream whose highest price is held. `commit` settles the hold, and is repeated until it succeeds or the hold has
 * ended by itself. The receipt is known at once, and leads to the call when that is recorded.
 */
export function runStream(
  deps: Pick<Deps, 'db' | 'log' | 'service'>,
  tool: Tool,
  answer: Extract<BodyAnswer, { stream: unknown }>,
  caller: Caller,
  trailer: boolean,
  commit: (status: 'success' | 'failed', counted: Counted) => Promise<CommitOutcome>,
): { output: BodyAnswer; receiptId: string; settled: Promise<Settled> } {
  const id = randomUUID()
  const receiptId = streamReceiptId(id)
  const settle = async (counted: Counted, failed: boolean): Promise<Settled> => {
    const outcome = await untilDone(() => commit(failed ? 'failed' : 'success', counted))
    const { credits } = counted
    if (outcome.kind === 'refused') {
      deps.log.error({ tool: tool.name, credits, code: outcome.code }, 'a stream could not be charged')
      return { creditsCharged: 0, creditsRemaining: outcome.creditsRemaining, unlimited: false }
    }
    await untilDone(() =>
      keepStreamReceipt(deps.db, { id, accountId: caller.accountId, receiptId: outcome.receiptId }),
    ).catch((error: Error) => deps.log.error({ error: error.message }, 'the receipt of a stream was not kept'))
    // Only an attempt of our own can have settled it before, and its answer was lost.
    if (outcome.kind === 'replayed' && !outcome.unlimited) return { ...outcome, creditsCharged: credits }
    return outcome
  }
  const isStopping = () => deps.service.draining
  const { stream, settled } = meterStream(tool, answer, settle, { trailer, receiptId, isStopping })
  settled.catch((error: Error) => deps.log.error({ tool: tool.name, error: error.message }, 'a stream was not settled'))
  return { output: { status: answer.status, headers: answer.headers, stream }, receiptId, settled }
}

/** Repeats while the database does not answer. Throws the last error when the hold has ended. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + SETTLING_SECONDS * 1000
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MOST_DELAY_MS)) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() + delayMs > until) throw error
      await wait(delayMs, undefined, { ref: false })
    }
  }
}
