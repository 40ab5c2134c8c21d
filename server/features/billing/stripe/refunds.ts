import type Stripe from 'stripe'
import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'

/** A refund as the provider sees it. `pending`: the money is under way. */
export interface RefundFacts {
  id: string
  chargeId: string
  /** The act that asked for it, if one of ours did. */
  actId: string | null
  state: 'pending' | 'succeeded' | 'failed'
  /** Why it failed, as a code of Stripe's. */
  error: string | null
}

/**
 * Refunds a part of a payment, once for each act: beyond the life of Stripe's idempotency keys, too, because the refund carries the
 * act's id.
 */
export async function refundPayment(
  { client }: StripeAccess,
  { paymentIntentId, cents, actId }: { paymentIntentId: string; cents: number; actId: string },
): Promise<RefundFacts> {
  const made = await client.refunds.list({ payment_intent: paymentIntentId, limit: 100 })
  const known = made.data.find(({ metadata }) => metadata?.act_id === actId)
  if (known) return factsOf(known)
  const refund = await client.refunds.create(
    { payment_intent: paymentIntentId, amount: cents, metadata: { act_id: actId } },
    { idempotencyKey: `refund:${actId}` },
  )
  return factsOf(refund)
}

/** Null for a refund of something else than a charge. */
export async function fetchRefund({ client }: StripeAccess, id: string): Promise<RefundFacts | null> {
  const refund = await client.refunds.retrieve(id)
  return refund.charge ? factsOf(refund) : null
}

function factsOf({ id, charge, metadata, status, failure_reason }: Stripe.Refund): RefundFacts {
  const ended = status === 'succeeded' || status === 'failed' ? status : null
  return {
    id,
    chargeId: charge ? idOf(charge) : '',
    actId: metadata?.act_id ?? null,
    state: status === 'canceled' ? 'failed' : (ended ?? 'pending'),
    error: failure_reason ?? (status === 'canceled' ? 'canceled' : null),
  }
}
