import type { Applying } from './applying.ts'
import { accountOfCustomer } from './applying.ts'
import { notifyManagers } from './notify-managers.ts'
import type { InvoiceFacts } from './stripe/fetch-invoice.ts'

/** Mails that a trial ends in three days and payment begins, once. */
export async function tellTrialEnds(ctx: Applying, customerId: string, subscriptionId: string): Promise<void> {
  const accountId = await accountOfCustomer(ctx.tx, customerId)
  if (accountId === null) return
  await notifyManagers(ctx.tx, ctx, {
    accountId,
    kind: 'trial.ending',
    ref: subscriptionId,
    subject: 'Your trial ends soon',
    content: {
      heading: 'Your trial ends in three days',
      paragraphs: [
        'Then your plan goes on and the card that you saved is charged. To stop it, cancel before that day.',
      ],
      action: { label: 'Open billing', url: `${ctx.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
}

/** Mails that the invoice of a plan could not be collected, with the page where it can be paid; once for an invoice. */
export async function tellPaymentFailed(ctx: Applying, invoice: InvoiceFacts): Promise<void> {
  if (invoice.status !== 'open' || invoice.subscriptionId === null || invoice.opening) return
  const accountId = await accountOfCustomer(ctx.tx, invoice.customerId)
  if (accountId === null) return
  await notifyManagers(ctx.tx, ctx, {
    accountId,
    kind: 'invoice.failed',
    ref: invoice.id,
    subject: 'A payment failed',
    content: {
      heading: `Invoice ${invoice.number ?? invoice.id} could not be paid`,
      paragraphs: [
        'Your card was not charged. It is tried again in the next days; your plan stays in force for seven days.',
        'Pay the invoice now, or save another card.',
      ],
      action: { label: 'Pay the invoice', url: invoice.hostedUrl ?? `${ctx.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
}
