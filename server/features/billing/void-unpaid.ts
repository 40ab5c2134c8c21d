import type { Applying } from './applying.ts'
import { voidOpenInvoice } from './stripe/topup-invoice.ts'

/**
 * Takes back what is still open of a subscription that has ended: nobody shall pay, by an old link, for a month that never
 * was. Bills for usage stay: that was had. Safe to repeat.
 */
export async function voidUnpaid({ tx, stripe, step }: Applying, subscriptionId: string): Promise<void> {
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
