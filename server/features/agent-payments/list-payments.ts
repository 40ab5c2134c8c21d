import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

export const paymentStates = ['claimed', 'settling', 'settled', 'failed', 'unknown', 'released'] as const
export type PaymentState = (typeof paymentStates)[number]

export interface ListedPayment {
  id: string
  state: PaymentState
  claimedAt: Date
  supplier: string
  payer: string
  credits: number
  microUsd: number
  /** The transaction. */
  reference: string | null
  receiptId: string | null
  reason: string | null
}

/** Payments of agents, the newest first. */
export async function listPayments(
  db: Queryable,
  { state = null, limit }: { state?: PaymentState | null; limit: number },
): Promise<ListedPayment[]> {
  const { rows } = await sql<ListedPayment>`
    select public_id as id, state, claimed_at as "claimedAt", supplier, payer, credits, micro_usd as "microUsd", reference,
      receipt_id as "receiptId", reason
    from agent_payments where ${state}::text is null or state = ${state} order by id desc limit ${limit}`.execute(db)
  return rows
}
