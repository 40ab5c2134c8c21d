import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { refundEffect, unburnedCents } from './refund-effect.ts'
import { refundFigures } from './refund-figures.ts'

export interface AskedRefund {
  /** The idempotency key at the payment provider: pressed twice, it is one refund. */
  actId: string
  invoiceId: string
  /** Default: all that is left of the payment. */
  cents?: number | undefined
  /** The most burned credits that the customer may keep; default: any number. */
  keepsCredits?: number | undefined
  accountId?: number
  /** What had been refunded when this was decided on; missing: any amount. */
  refundedCents?: number | undefined
  operator: string
}

export interface StartedRefund {
  cents: number
  before: { refunded_cents: number; credits_left: number }
  after: { refunded_cents: number; credits_left: number; credits_kept: number }
}

/**
 * Notes a refund that `sendRefund` then asks the payment provider for. Nothing else changes. Throws not_found, and conflict: more than
 * is left of the payment, more burned credits than agreed, a refund that was not known of, or another refund of it is not sent yet.
 */
export async function startRefund(tx: Queryable, asked: AskedRefund): Promise<StartedRefund> {
  const figures = await refundFigures(tx, asked.invoiceId, asked.accountId)
  const unsent = await tx
    .selectFrom('refunds')
    .select('act_id')
    .where('invoice_id', '=', asked.invoiceId)
    .where('state', '=', 'unsent')
    .executeTakeFirst()
  if (unsent)
    throw new AppError(
      'conflict',
      'The payment provider has not answered an earlier refund of this invoice. Send that one again first.',
    )
  const most = figures.paid_cents - figures.refunded_cents
  const cents = asked.cents ?? most
  if (most === 0) throw new AppError('conflict', 'All money of this invoice went back already.')
  if (cents > most) throw new AppError('conflict', `At most ${most} cents of this invoice are left to refund.`)
  if (figures.refunded_cents !== (asked.refundedCents ?? figures.refunded_cents))
    throw new AppError(
      'conflict',
      'Another refund of this invoice was made meanwhile. Open the form again to see what is left.',
    )
  const { taken, kept } = refundEffect(figures, cents)
  if (kept > (asked.keepsCredits ?? kept))
    throw new AppError(
      'conflict',
      `The customer would keep ${kept} burned credits. The unburned credits are worth ${unburnedCents(figures)} cents now.`,
    )
  await tx
    .insertInto('refunds')
    .values({
      act_id: asked.actId,
      account_id: figures.accountId,
      invoice_id: asked.invoiceId,
      operator: asked.operator,
      cents,
    })
    .execute()
  return {
    cents,
    before: { refunded_cents: figures.refunded_cents, credits_left: figures.left },
    after: { refunded_cents: figures.refunded_cents + cents, credits_left: figures.left - taken, credits_kept: kept },
  }
}
