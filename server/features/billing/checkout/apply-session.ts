import { accountOfCustomer, type EventContext } from '../events/event-context.ts'
import { applyInvoice } from '../invoices/apply-invoice.ts'
import { reverseLate } from '../invoices/apply-reversal.ts'
import { fetchSession } from '../stripe/checkout.ts'
import { applySubscription } from '../subscriptions/apply-subscription.ts'
import { applyTopup } from '../topups/apply-topup.ts'

/** Applies the outcome of a checkout session that we opened: a plan, a top-up, or nothing. Safe to repeat. */
export async function applySession(ctx: EventContext, id: string): Promise<void> {
  const facts = await fetchSession(ctx.stripe, id)
  const accountId = facts.customerId === null ? null : await accountOfCustomer(ctx.tx, facts.customerId)
  if (accountId === null) return
  if (facts.status !== 'open')
    await ctx.tx
      .updateTable('checkouts')
      .set({ status: facts.status })
      .where('session_id', '=', id)
      .where('account_id', '=', accountId)
      .execute()
  ctx.step?.('checkout closed')
  if (facts.status === 'complete' && facts.subscriptionId !== null) {
    await applySubscription(ctx, facts.subscriptionId)
    if (facts.invoiceId !== null) await applyInvoice(ctx, facts.invoiceId)
  }
  if (facts.topupId === null) return
  if (facts.status === 'complete' && facts.paid) {
    await applyTopup(ctx, facts.topupId, {
      accountId,
      totalCents: facts.totalCents,
      paidCents: facts.totalCents,
      taxCents: facts.taxCents,
      addedTaxCents: facts.addedTaxCents,
      currency: facts.currency,
      invoiceId: facts.invoiceId,
      paymentIntentId: facts.paymentIntentId,
    })
    await reverseLate(ctx, facts.paymentIntentId)
  } else if (facts.status === 'expired') await closeTopup(ctx, accountId, facts.topupId, 'expired')
}

/** Closes a top-up that will not be paid. A paid one stays paid. */
export async function closeTopup(
  { tx }: EventContext,
  accountId: number,
  topupId: number,
  status: 'expired' | 'failed',
): Promise<void> {
  await tx
    .updateTable('topups')
    .set({ status, closed_at: new Date() })
    .where('id', '=', topupId)
    .where('account_id', '=', accountId)
    .where('status', '=', 'open')
    .execute()
}
