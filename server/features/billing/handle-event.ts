import { applyInvoice } from './apply-invoice.ts'
import { applyDispute, applyReversal } from './apply-reversal.ts'
import { applySession } from './apply-session.ts'
import { applySubscription } from './apply-subscription.ts'
import type { Applying } from './applying.ts'
import { liftSuspension } from './lift-suspension.ts'
import { fetchRefundedCharge } from './stripe/fetch-charge.ts'
import { readCatalogue } from './sync-catalogue.ts'
import { tellPaymentFailed, tellTrialEnds } from './tell-customer.ts'

export interface StoredEvent {
  id: string
  type: string
  object_id: string
  customer_id: string | null
  dispute: { chargeId: string; status: string } | null
}

/** Does what an event hints at; types that mean nothing to us do nothing. */
export async function handleEvent(ctx: Applying, event: StoredEvent): Promise<void> {
  const { type, object_id: id } = event
  if (type.startsWith('checkout.session.')) await applySession(ctx, id)
  else if (/^customer\.subscription\./.test(type)) {
    const facts = await applySubscription(ctx, id)
    if (facts && type === 'customer.subscription.trial_will_end') await tellTrialEnds(ctx, facts.customerId, id)
  } else if (/^invoice\./.test(type) && type !== 'invoice.upcoming' && type !== 'invoice.deleted') {
    const facts = await applyInvoice(ctx, id)
    if (facts && /^invoice\.payment_(failed|action_required)$/.test(type)) await tellPaymentFailed(ctx, facts)
    if (facts?.status === 'draft' && type === 'invoice.finalization_failed')
      ctx.log.error(
        { invoice: id },
        'Stripe could not finalise an invoice: it charges nothing until an operator mends it',
      )
  } else if (type === 'charge.refunded') await applyReversal(ctx, id)
  else if (type.startsWith('refund.')) {
    const charge = await fetchRefundedCharge(ctx.stripe, id)
    if (charge !== null) await applyReversal(ctx, charge)
  } else if (type.startsWith('charge.dispute.') && event.dispute !== null) await applyDispute(ctx, id, event.dispute)
  else if (/^(payment_method\.|customer\.updated$)/.test(type) && event.customer_id !== null)
    await liftSuspension(ctx, event.customer_id)
  else if (changesCatalogue(type)) await readCatalogue({ ...ctx, tell: true })
}

/** Events after which the catalogue must be read again, as a regular expression for both languages. */
export const CATALOGUE_TYPES = '^(product|price)\\.'
export const changesCatalogue = (type: string): boolean => new RegExp(CATALOGUE_TYPES).test(type)
