import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'

export interface ChargeFacts {
  customerId: string | null
  paymentIntentId: string | null
  /** ISO code, lower case. */
  currency: string
  cents: number
  refundedCents: number
}

export async function fetchCharge({ client }: StripeAccess, id: string): Promise<ChargeFacts> {
  const found = await client.charges.retrieve(id)
  return {
    customerId: found.customer ? idOf(found.customer) : null,
    paymentIntentId: found.payment_intent ? idOf(found.payment_intent) : null,
    currency: found.currency,
    cents: found.amount,
    refundedCents: found.amount_refunded,
  }
}

/** The charge of a refund; null for a refund of something else. */
export async function fetchRefundedCharge({ client }: StripeAccess, refundId: string): Promise<string | null> {
  const { charge } = await client.refunds.retrieve(refundId)
  return charge ? idOf(charge) : null
}
