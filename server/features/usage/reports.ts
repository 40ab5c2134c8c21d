import { sql } from 'kysely'
import type { UsageReport } from '#contract/usage.ts'
import type { UserContext } from '../../context.ts'
import { AppError } from '../../http/errors.ts'
import { findReceipt } from './receipts.ts'

const MAX_PER_DAY = 1_000
const DAY_SECONDS = 86_400

/**
 * Stores what a client observed about a call, with the receipt that it names. Changes neither credits nor usage. Throws
 * not_found for another account's receipt, rate_limited after 1,000 reports in 24 hours.
 */
export async function addReport(
  ctx: UserContext,
  { event, receiptId, message }: { event: string; receiptId?: string; message?: string },
): Promise<UsageReport> {
  const { accountId, bucket, userId } = ctx.actor
  if (receiptId !== undefined) await findReceipt(ctx, receiptId)
  const db = ctx.deps.db.of(bucket).kysely
  const { rows } = await sql<{ recent: number }>`
    select count(*)::int as recent from usage_reports
    where account_id = ${accountId} and at > (select app_now()) - interval '1 day'`.execute(db)
  if ((rows[0]?.recent ?? 0) >= MAX_PER_DAY)
    throw new AppError('rate_limited', `An account may send ${MAX_PER_DAY} reports in 24 hours.`, {
      retryAfterSeconds: DAY_SECONDS,
    })
  const row = await db
    .insertInto('usage_reports')
    .values({ account_id: accountId, user_id: userId, event, receipt_id: receiptId ?? null, message: message ?? null })
    .returning(['id', 'at', 'event', 'receipt_id', 'message'])
    .executeTakeFirstOrThrow()
  return present(row)
}

/** What clients reported about one receipt, oldest first. */
export async function reportsOf({ actor, deps }: UserContext, receiptId: string): Promise<UsageReport[]> {
  const rows = await deps.db
    .of(actor.bucket)
    .kysely.selectFrom('usage_reports')
    .select(['id', 'at', 'event', 'receipt_id', 'message'])
    .where('account_id', '=', actor.accountId)
    .where('receipt_id', '=', receiptId)
    .orderBy('at')
    .orderBy('id')
    .limit(100)
    .execute()
  return rows.map(present)
}

const present = (row: {
  id: number
  at: Date
  event: string
  receipt_id: string | null
  message: string | null
}): UsageReport => ({
  id: row.id,
  time: row.at.toISOString(),
  event: row.event,
  receiptId: row.receipt_id,
  message: row.message,
})
