import type { EventContext } from '../events/event-context.ts'
import { voidOpenInvoice } from '../stripe/topup-invoice.ts'

/**
 * Voids the open invoices of a subscription that has ended, so that an old link cannot pay for a month that was never
 * provided. Usage invoices stay, since the usage was provided. Safe to repeat.
 */
export async function voidUnpaid({ tx, stripe, step }: EventContext, subscriptionId: string): Promise<void> {
  const open = await tx
    .selectFrom('invoices as i')
    .innerJoin('subscriptions as s', 's.id', 'i.subscription_id')
    .leftJoin('payg_invoices as p', 'p.invoice_id', 'i.id')
    .select('i.id')
    .where('s.id', '=', subscriptionId)
    .where('s.ended_at', 'is not', null)
    .where('i.status', '=', 'open')
    .where('p.invoice_id', 'is', null)
    .execute()
  for (const { id } of open) {
    await voidOpenInvoice(stripe, id)
    step?.('unpaid invoice voided')
  }
}
