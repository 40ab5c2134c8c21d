import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { checkInvariants } from '../../features/metering/invariants.ts'
import { decodeReceiptId, encodeReceiptId } from '../../features/metering/receipt-id.ts'
import type { ProofAccount } from './accounts.ts'
import type { Charge, Lost, Seen } from './seen.ts'

export interface Compared {
  /** Usage rows of successful calls. */
  rows: number
  credits: number
  /** Charges whose answer no client received: the server or the network died in between. */
  unheard: number
  /** Orders that the upstream carried out. */
  orders: number
  differences: string[]
}

/**
 * Compares everything that clients saw with everything that was recorded, and with the orders that the upstream carried out, by
 * idempotency key. No difference is tolerated.
 */
export async function compare(
  db: Database,
  accounts: ProofAccount[],
  seen: Seen,
  orders = new Map<string, number>(),
): Promise<Compared> {
  const differences = (await checkInvariants(db)).map(({ invariant, detail }) => `${invariant}: ${detail}`)
  differences.push(...seen.unexpected.map((text) => `an answer that should not be: ${text}`))
  differences.push(...seen.keysChargedTwice.map((key) => `idempotency key ${key} has two receipts`))
  differences.push(...seen.otherAnswers.map((key) => `idempotency key ${key} was answered differently`))
  differences.push(...(await orderDifferences(db, seen, orders)))
  const total = { rows: 0, credits: 0, unheard: 0 }
  const { known, lost } = await withStreams(db, seen, differences)
  const missing = new Map(known)
  for (const { id, kind } of accounts) {
    const { rows } = await sql<{
      at: number
      batch: string
      n: number
      charged: number
      success: boolean
      tool: string
    }>`
      select (extract(epoch from u.at) * 1000000)::bigint as at, u.batch::text, u.n, u.from_credits + u.from_payg as charged, u.success, t.name as tool
      from usage_events u join tools t on t.id = u.tool_id where u.account_id = ${id}`.execute(db.kysely)
    const unheard: { tool: string; charged: number }[] = []
    for (const { at, batch, n, charged, success, tool } of rows) {
      const receipt = encodeReceiptId({ atMicros: Number(at), batch, n })
      const answered = known.get(receipt)
      missing.delete(receipt)
      if (success) {
        total.rows++
        total.credits += charged
        if (!answered) unheard.push({ tool, charged })
      }
      if (answered && (answered.accountId !== id || charged < answered.least || charged > answered.most))
        differences.push(
          `${receipt} (${tool}): answered ${amount(answered)} of account ${answered.accountId}, recorded ${charged} of ${id}`,
        )
    }
    total.unheard += unheard.length
    const own = lost.filter(({ accountId }) => accountId === id)
    for (const { tool, charged } of unexplained(unheard, own))
      differences.push(
        `account ${id} (${kind}): ${charged} credits for ${tool}, without a received answer or a lost one`,
      )
  }
  for (const receipt of missing.keys())
    differences.push(`${receipt}: answered, but not recorded; ${await findBatch(db, receipt)}`)
  return { ...total, orders: orders.size, differences }
}

const amount = ({ least, most }: Charge): string => (least === most ? String(least) : `${least} to ${most}`)

/** The receipts that clients know, with those of their streams, and the calls whose outcome nobody knows. */
async function withStreams(
  db: Database,
  seen: Seen,
  differences: string[],
): Promise<{ known: Map<string, Charge>; lost: Lost[] }> {
  const known = new Map(seen.receipts)
  const lost = [...seen.lost]
  const { rows } = await sql<{ id: string; receipt: string }>`
    select id::text, receipt_id as receipt from stream_receipts`.execute(db.kysely)
  const receipts = new Map(rows.map(({ id, receipt }) => [`rcps_${id}`, receipt]))
  for (const stream of seen.streams) {
    const receipt = receipts.get(stream.receipt)
    if (receipt !== undefined) known.set(receipt, stream)
    else if (stream.mustBeRecorded) differences.push(`${stream.receipt}: a stream that ended was not recorded`)
    else lost.push(stream)
  }
  return { known, lost }
}

/** Rows that none of the lost calls explains; each explains one, of its tool and at most its price. */
function unexplained(rows: { tool: string; charged: number }[], lost: Lost[]): typeof rows {
  const left = lost.toSorted((a, b) => a.most - b.most)
  return rows
    .toSorted((a, b) => a.charged - b.charged)
    .filter(({ tool, charged }) => {
      const at = left.findIndex((call) => call.tool === tool && call.least <= charged && charged <= call.most)
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
}

/** An order is carried out once; again only where the answer to an attempt before did not arrive at us or at the client. */
async function orderDifferences(db: Database, { orders }: Seen, carriedOut: Map<string, number>): Promise<string[]> {
  const accounts = await db.kysely.selectFrom('accounts').select(['id', 'public_id']).execute()
  const names = new Map(accounts.map(({ id, public_id }) => [id, public_id]))
  return orders.flatMap(({ accountId, key, answered, uncertain }) => {
    const sent = createHash('sha256')
      .update(`${names.get(accountId)} ${key}`)
      .digest('hex')
    const times = carriedOut.get(sent) ?? 0
    const most = uncertain + (answered ? 1 : 0)
    if (times <= most && (times > 0 || !answered)) return []
    return [`order ${key}: carried out ${times} times, ${uncertain} attempts without an answer before the first`]
  })
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
