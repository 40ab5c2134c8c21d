import type { Deps } from '../../deps.ts'
import { applyReversal } from './apply-reversal.ts'
import { requireStripe } from './require-stripe.ts'
import { refundPayment } from './stripe/refund-payment.ts'

export interface Refunded {
  cents: number
  /** Credits of the payment that were taken back now and before, and those that were spent already. */
  voided: number
  spent: number
}

/**
 * Sends the money of a paid invoice back, whole or `cents` of it, and takes its credits back in the same proportion.
 * The event that follows finds everything done. Throws for an invoice that is not paid, and when Stripe refuses.
 */
export async function refundInvoice(
  { db, log, mail, stripe: access, config }: Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'config'>,
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
  await db.kysely.transaction().execute((tx) => applyReversal({ tx, stripe, log, mail, config }, refund.chargeId))
  const taken = await db.kysely
    .selectFrom('reversals')
    .select(['voided', 'spent'])
    .where('charge_id', '=', refund.chargeId)
    .executeTakeFirst()
  return { cents: refund.cents, voided: taken?.voided ?? 0, spent: taken?.spent ?? 0 }
}
