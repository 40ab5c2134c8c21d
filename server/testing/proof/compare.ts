import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { checkInvariants } from '../../features/metering/invariants.ts'
import { decodeReceiptId, encodeReceiptId } from '../../features/metering/receipt-id.ts'
import type { ProofAccount } from './accounts.ts'
import type { Seen } from './callers.ts'

export interface Compared {
  /** Usage rows of successful calls. */
  rows: number
  credits: number
  /** Charges whose answer no client received: the server or the network died in between. */
  unheard: number
  differences: string[]
}

/** Compares everything that clients saw with everything that was recorded. No difference is tolerated. */
export async function compare(db: Database, accounts: ProofAccount[], seen: Seen): Promise<Compared> {
  const differences = (await checkInvariants(db)).map(({ invariant, detail }) => `${invariant}: ${detail}`)
  differences.push(...seen.unexpected.map((text) => `an answer that should not be: ${text}`))
  differences.push(...seen.keysChargedTwice.map((key) => `idempotency key ${key} has two receipts`))
  const total = { rows: 0, credits: 0, unheard: 0 }
  const missing = new Map(seen.receipts)
  for (const { id, kind } of accounts) {
    const { rows } = await sql<{ at: number; batch: string; n: number; charged: number }>`
      select (extract(epoch from at) * 1000000)::bigint as at, batch::text, n, from_credits + from_payg as charged
      from usage_events where account_id = ${id} and success`.execute(db.kysely)
    let unheard = 0
    for (const { at, batch, n, charged } of rows) {
      const receipt = encodeReceiptId({ atMicros: Number(at), batch, n })
      const known = seen.receipts.get(receipt)
      missing.delete(receipt)
      total.rows++
      total.credits += charged
      if (!known) unheard++
      else if (known.accountId !== id || known.credits !== charged)
        differences.push(
          `${receipt}: answered ${known.credits} of account ${known.accountId}, recorded ${charged} of ${id}`,
        )
    }
    total.unheard += unheard
    const lost = seen.unanswered.get(id) ?? 0
    if (unheard > lost)
      differences.push(
        `account ${id} (${kind}): ${unheard} charges without a received answer, but only ${lost} lost answers`,
      )
  }
  for (const receipt of missing.keys())
    differences.push(`${receipt}: answered, but not recorded; ${await findBatch(db, receipt)}`)
  return { ...total, differences }
}

/** What the database knows about a receipt's batch: lost, taken back, or recorded under other numbers. */
async function findBatch(db: Database, receipt: string): Promise<string> {
  const ref = decodeReceiptId(receipt)!
  const { rows } = await sql<{ facts: string }>`
    select json_build_object('answered', to_timestamp(${ref.atMicros / 1_000_000}), 'n', ${ref.n}::int,
      'batch', (select json_build_object('at', at, 'voided', voided, 'outcomes', outcomes) from meter_batches where id = ${ref.batch}::uuid),
      'rows', (select json_agg(json_build_object('n', n, 'at', at, 'success', success)) from usage_events where batch = ${ref.batch}::uuid))::text as facts`.execute(
    db.kysely,
  )
  return rows[0]?.facts ?? 'nothing'
}
