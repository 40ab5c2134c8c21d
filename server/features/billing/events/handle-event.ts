import { applySession } from '../checkout/apply-session.ts'
import { applyInvoice } from '../invoices/apply-invoice.ts'
import { applyDispute, applyReversal } from '../invoices/apply-reversal.ts'
import { liftSuspension } from '../invoices/lift-suspension.ts'
import { readCatalog } from '../plans/sync-catalog.ts'
import { settleRefund } from '../refunds/settle-refund.ts'
import { isMissing } from '../stripe/failure.ts'
import { fetchRefund } from '../stripe/refunds.ts'
import { applySubscription } from '../subscriptions/apply-subscription.ts'
import { applyTaxDetails } from '../taxes/apply-tax-details.ts'
import type { EventContext } from './event-context.ts'
import { tellPaymentFailed, tellTrialEnds } from './tell-customer.ts'

export interface StoredEvent {
  id: string
  type: string
  object_id: string
  customer_id: string | null
  dispute: { chargeId: string; status: string } | null
}

/** Applies the object that an event points to. Other event types do nothing. */
export async function handleEvent(ctx: EventContext, event: StoredEvent): Promise<void> {
  const { type, object_id: id } = event
  if (type.startsWith('checkout.session.')) await applySession(ctx, id)
  else if (/^customer\.subscription\./.test(type)) {
    const facts = await applySubscription(ctx, id)
    if (facts && type === 'customer.subscription.trial_will_end') await tellTrialEnds(ctx, facts.customerId, id)
  } else if (/^invoice\./.test(type) && type !== 'invoice.upcoming') {
    const facts = await applyInvoice(ctx, id).catch((error) => forgetDraft(ctx, event, error))
    if (facts && /^invoice\.payment_(failed|action_required)$/.test(type)) await tellPaymentFailed(ctx, facts)
    if (facts?.status === 'draft' && type === 'invoice.finalization_failed')
      ctx.log.error(
        { invoice: id },
        'Stripe could not finalize an invoice: nothing is charged until an operator fixes it',
      )
  } else if (type === 'charge.refunded') await applyReversal(ctx, id)
  else if (type.startsWith('refund.')) {
    const refund = await fetchRefund(ctx.stripe, id)
    if (!refund) return
    await settleRefund(ctx.tx, refund)
    await applyReversal(ctx, refund.chargeId)
  } else if (type.startsWith('charge.dispute.') && event.dispute !== null) await applyDispute(ctx, id, event.dispute)
  else if (/^(payment_method\.|customer\.(updated$|tax_id\.))/.test(type) && event.customer_id !== null) {
    if (type.startsWith('customer.')) await applyTaxDetails(ctx, event.customer_id)
    if (!type.startsWith('customer.tax_id.')) await liftSuspension(ctx, event.customer_id)
  } else if (changesCatalog(type)) await readCatalog({ ...ctx, tell: true })
}

const OF_DRAFTS = /^invoice\.(created|updated|deleted|finalization_failed)$/

/** A draft that was deleted, as that of a top-up whose tax cannot be computed, is no more at Stripe when its events are applied. */
async function forgetDraft({ tx }: EventContext, { type, object_id: id }: StoredEvent, error: unknown): Promise<null> {
  if (!isMissing(error) || !OF_DRAFTS.test(type)) throw error
  await tx.deleteFrom('invoices').where('id', '=', id).where('status', '=', 'draft').execute()
  return null
}

/** Events that require rereading the catalog, as a regular expression valid in JavaScript and PostgreSQL. */
export const CATALOG_TYPES = '^(product|price)\\.'
export const changesCatalog = (type: string): boolean => new RegExp(CATALOG_TYPES).test(type)
