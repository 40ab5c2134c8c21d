import { CompiledQuery } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { type BatchRow, encodeBatch, newBatchId, settleBatch } from './batch.ts'
import { digestsOf } from './idempotency.ts'
import type { CommitOutcome, MeteredCall } from './meter.ts'

const text = `select (extract(epoch from at) * 1000000)::bigint::text as at_micros, balances::text, unlimited::text, outcomes::text,
    from_credits::text, from_payg::text, payg_left::text, first_receipts::text
  from meter_commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`

/**
 * Charges one call in the caller's transaction, which has granted what it costs: for calls that a payment pays, so that payment, credits,
 * usage row and receipt are written together or not at all. The transaction has entered the account's bucket.
 */
export async function commitPaid(tx: Queryable, call: MeteredCall): Promise<CommitOutcome> {
  let outcome: CommitOutcome | undefined
  const pending = {
    kind: 'call' as const,
    call,
    ...digestsOf(call),
    arrivedAtMs: Date.now(),
    resolve: (decided: unknown) => {
      outcome = decided as CommitOutcome
    },
    reject: () => {},
  }
  const queue = { accountId: call.accountId, waiting: [], inFlight: true, creditsChanged: false }
  const queues = [{ queue, calls: [pending] }]
  const batch = newBatchId()
  const { rows } = await tx.executeQuery<BatchRow>(CompiledQuery.raw(text, [batch, ...encodeBatch(queues).values]))
  settleBatch(batch, rows[0]!, queues, () => {})
  return outcome!
}
