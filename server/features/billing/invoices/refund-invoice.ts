import type { Deps } from '../../../deps.ts'
import { transactInLease } from '../lease/in-lease.ts'
import { refundPayment } from '../stripe/refund-payment.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import { applyReversal } from './apply-reversal.ts'

export interface Refunded {
  cents: number
  /** Credits of the payment that were taken back in total, and those already spent. */
  voided: number
  spent: number
}

/**
 * Refunds a paid invoice, in full or `cents` of it, and takes its credits back in proportion. The event that follows
 * changes nothing. Throws for an unpaid invoice, and when Stripe refuses.
 */
export async function refundInvoice(
  {
    db,
    log,
    mail,
    stripe: access,
    secrets,
    config,
  }: Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>,
  invoiceId: string,
  cents?: number,
): Promise<Refunded> {
  const stripe = requireStripe({ stripe: access })
  const invoice = await db.kysely
    .selectFrom('invoices')
    .select('payment_intent_id')
    .where('id', '=', invoiceId)
    .where('status', '=', 'paid')
    .executeTakeFirst()
  if (!invoice?.payment_intent_id) throw new Error(`There is no paid invoice ${invoiceId}.`)
  const refund = await refundPayment(stripe, invoice.payment_intent_id, cents)
  await transactInLease(db, `charge ${refund.chargeId}`, (tx) =>
    applyReversal({ tx, stripe, log, mail, secrets, config }, refund.chargeId),
  )
  const taken = await db.kysely
    .selectFrom('reversals')
    .select(['voided', 'spent'])
    .where('charge_id', '=', refund.chargeId)
    .executeTakeFirst()
  return { cents: refund.cents, voided: taken?.voided ?? 0, spent: taken?.spent ?? 0 }
}
