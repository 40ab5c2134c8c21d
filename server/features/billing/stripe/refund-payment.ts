import { idOf } from './catalogue.ts'
import type { StripeAccess } from './client.ts'

/**
 * Refunds a payment, whole or in part. A repeat before the refund is seen makes none: what was refunded already names
 * the request.
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
