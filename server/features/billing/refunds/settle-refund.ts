import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { RefundFacts } from '../stripe/refunds.ts'

/**
 * Copies the state of a refund from the payment provider, whose answers and events come in any order: a later state stays. One that no
 * operator asked for here changes nothing.
 */
export async function settleRefund(tx: Queryable, { id, actId, state, error }: RefundFacts): Promise<void> {
  await sql`
    update refunds set provider_id = ${id}, state = ${state}, error = ${error}, changed_at = app_now()
    where (provider_id = ${id} or act_id::text = ${actId})
      and array_position(${ORDER}::text[], state) < array_position(${ORDER}::text[], ${state})`.execute(tx)
}

/** A refund that succeeded can still fail, and its money comes back. */
const ORDER = ['unsent', 'pending', 'succeeded', 'failed']
