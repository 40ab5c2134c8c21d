import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'

/**
 * Refunds a payment, in full or in part. The amount refunded so far is part of the idempotency key, so a repeat before
 * the refund is visible does not create a second one.
 */
export async function refundPayment(
  { client }: StripeAccess,
  paymentIntentId: string,
  cents?: number,
): Promise<{ cents: number; chargeId: string }> {
  const intent = await client.paymentIntents.retrieve(paymentIntentId, { expand: ['latest_charge'] })
  const charge = intent.latest_charge
  if (!charge || typeof charge === 'string') throw new Error(`Payment ${paymentIntentId} has no charge.`)
  const refund = await client.refunds.create(
    { payment_intent: paymentIntentId, ...(cents !== undefined && { amount: cents }) },
    { idempotencyKey: `refund:${charge.id}:${charge.amount_refunded}:${cents ?? 'rest'}` },
  )
  return { cents: refund.amount, chargeId: idOf(charge) }
}
