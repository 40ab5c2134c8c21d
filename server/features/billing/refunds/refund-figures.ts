import { sql } from 'kysely'
import { enterBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { grantsOfPayment } from '../invoices/apply-reversal.ts'
import type { RefundFigures } from './refund-effect.ts'

export interface Refundable extends RefundFigures {
  accountId: number
  paymentIntentId: string
  /** Credits of the payment that were burned. */
  burned: number
}

/**
 * The figures of a paid invoice, after what was charged has been taken from its credits. Locks the invoice and the account's credits until the
 * transaction ends. Throws not_found when no payment of the account, if one is named, stands behind it.
 */
export async function refundFigures(tx: Queryable, invoiceId: string, accountId?: number): Promise<Refundable> {
  const invoice = await tx
    .selectFrom('invoices')
    .select(['account_id', 'payment_intent_id', 'paid_cents'])
    .where('id', '=', invoiceId)
    .where('status', '=', 'paid')
    .where('paid_cents', '>', 0)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId!))
    .forUpdate()
    .executeTakeFirst()
  if (!invoice?.payment_intent_id) throw new AppError('not_found', `There is no paid invoice ${invoiceId}.`)
  const intent = invoice.payment_intent_id
  await enterBucket(tx, invoice.account_id)
  await sql`select from credit_accounts where account_id = ${invoice.account_id} for no key update`.execute(tx)
  await sql`select credit_settle(${invoice.account_id}, app_now())`.execute(tx)
  const reversal = await tx
    .selectFrom('reversals')
    .select(['charge_id', 'reversed_cents', 'voided', 'spent'])
    .where('payment_intent_id', '=', intent)
    .executeTakeFirst()
  const grants = await grantsOfPayment(tx, intent, reversal?.charge_id ?? '')
  const ids = grants.map(({ id }) => id)
  const { rows } = await sql<{ burned: number }>`
    select coalesce(-sum(delta), 0)::bigint as burned from credit_ledger
    where account_id = ${invoice.account_id} and grant_id = any(${ids}) and kind in ('debit', 'debt', 'refund')`.execute(
    tx,
  )
  return {
    accountId: invoice.account_id,
    paymentIntentId: intent,
    paid_cents: invoice.paid_cents,
    refunded_cents: reversal?.reversed_cents ?? 0,
    granted: grants.reduce((sum, { bought }) => sum + bought, 0),
    left: grants.reduce((sum, { remaining }) => sum + remaining, 0),
    burned: rows[0]!.burned,
    accounted: (reversal?.voided ?? 0) + (reversal?.spent ?? 0),
  }
}
