import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { type Handler, pick } from './assign.ts'
import type { Body, Charge, PaymentIntent, PaymentMethod } from './bodies.ts'
import type { Session } from './session.ts'

interface Dispute extends Body {
  charge: string
  status: string
}

async function chargeOf(tx: Session, params: { charge?: string; payment_intent?: string }): Promise<Charge> {
  if (params.charge) return tx.get<Charge>('charge', params.charge, 'charge')
  if (!params.payment_intent)
    throw invalid('One of the following params should be provided for this request: payment_intent or charge.')
  const intent = await tx.get<PaymentIntent>('payment_intent', params.payment_intent, 'payment_intent')
  if (intent.status !== 'succeeded')
    throw invalid(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`)
  return tx.get<Charge>('charge', intent.latest_charge ?? '', 'charge')
}

/** Refunds a payment, whole or in part. */
export async function createRefund(tx: Session, params: Stripe.RefundCreateParams): Promise<Body> {
  const charge = await chargeOf(tx, params)
  const left = charge.amount - charge.amount_refunded
  if (charge.disputed)
    throw invalid(`Charge ${charge.id} has been charged back; cannot issue a refund.`, { code: 'charge_disputed' })
  if (left === 0) throw invalid(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' })
  const amount = params.amount ?? left
  if (amount <= 0) throw invalid('Invalid positive integer', { code: 'parameter_invalid_integer', param: 'amount' })
  if (amount > left) {
    throw invalid(`Refund amount (${amount} cents) is greater than unrefunded amount on charge (${left} cents)`, {
      param: 'amount',
    })
  }
  const method = await tx.maybe<PaymentMethod>(String(charge.payment_method))
  const refund = await tx.create('refund', 're', {
    amount,
    currency: charge.currency,
    charge: charge.id,
    payment_intent: charge.payment_intent,
    status: method?._outcome === 'refund_pends' ? 'pending' : 'succeeded',
    ...pick(params, 'reason', 'metadata'),
  })
  charge.amount_refunded += amount
  charge.refunded = charge.amount_refunded === charge.amount
  await tx.save(charge)
  await tx.emit('refund.created', refund)
  await tx.emit('charge.refunded', charge)
  if (method?._outcome === 'refund_fails') await failRefund(tx, refund, charge, amount)
  return refund
}

async function failRefund(tx: Session, refund: Body, charge: Charge, amount: number): Promise<void> {
  refund.status = 'failed'
  refund.failure_reason = 'expired_or_canceled_card'
  charge.amount_refunded -= amount
  charge.refunded = false
  await tx.save(charge)
  await tx.save(refund, 'refund.failed')
}

/** Ends a refund that is under way, as the bank decided. */
export async function settleRefund(tx: Session, id: string, outcome: 'succeeded' | 'failed'): Promise<void> {
  const refund = await tx.get<Body & { charge: string; amount: number; status: string }>('refund', id)
  if (refund.status !== 'pending') throw invalid('This refund is already settled.')
  if (outcome === 'failed') return failRefund(tx, refund, await tx.get<Charge>('charge', refund.charge), refund.amount)
  refund.status = 'succeeded'
  await tx.save(refund, 'refund.updated')
}

/** Opens a dispute: the cardholder's bank takes the money back until it is decided. */
export async function openDispute(tx: Session, charge: Charge, reason = 'fraudulent'): Promise<Body> {
  if (charge.disputed) throw invalid(`Charge ${charge.id} is already disputed.`)
  charge.disputed = true
  await tx.save(charge)
  const dispute = await tx.create('dispute', 'du', {
    amount: charge.amount - charge.amount_refunded,
    currency: charge.currency,
    charge: charge.id,
    payment_intent: charge.payment_intent,
    reason,
    status: 'needs_response',
    is_charge_refundable: false,
    evidence_details: {
      due_by: tx.now + 7 * 86_400,
      submission_count: 0,
      submission_method: 'not_submitted',
      past_due: false,
      has_evidence: false,
    },
  })
  await tx.emit('charge.dispute.created', dispute)
  return dispute
}

/** Closes a dispute as the bank decided it: 'won' returns the money to the seller, 'lost' does not. */
export async function closeDispute(tx: Session, id: string, outcome: 'won' | 'lost'): Promise<Body> {
  const dispute = await tx.get<Dispute>('dispute', id)
  if (dispute.status !== 'needs_response') throw invalid('This dispute is already closed.')
  dispute.status = outcome
  if (outcome === 'won') {
    const charge = await tx.get<Charge>('charge', dispute.charge)
    charge.disputed = false
    await tx.save(charge)
  }
  await tx.save(dispute, 'charge.dispute.closed')
  return dispute
}

export const refundHandlers: Record<string, Handler> = {
  'POST /v1/refunds': createRefund,
}
