import { sql } from 'kysely'
import type { Database, Queryable } from '../../../db/database.ts'

const PREFIX = 'rcps_'
const UUID = /^rcps_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The receipt of a stream, which is sent before the call is recorded. */
export const streamReceiptId = (id: string): string => PREFIX + id

/** Notes which call a stream became. Safe to repeat. */
export async function keepStreamReceipt(
  db: Database,
  { id, accountId, receiptId }: { id: string; accountId: number; receiptId: string },
): Promise<void> {
  await db.kysely
    .insertInto('stream_receipts')
    .values({ id, account_id: accountId, receipt_id: receiptId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The receipt of the recorded call, if this is the receipt of a stream of the account; else `receiptId` itself. */
export async function receiptOfStream(db: Queryable, accountId: number, receiptId: string): Promise<string> {
  const id = UUID.exec(receiptId)?.[1]
  if (id === undefined) return receiptId
  const { rows } = await sql<{ receipt_id: string }>`
    select receipt_id from stream_receipts where id = ${id}::uuid and account_id = ${accountId}`.execute(db)
  return rows[0]?.receipt_id ?? receiptId
}
