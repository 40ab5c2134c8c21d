import { notifyManagers } from '../notify-managers.ts'
import type { InvoiceFacts } from '../stripe/fetch-invoice.ts'
import type { EventContext } from './event-context.ts'
import { accountOfCustomer } from './event-context.ts'

/** Emails once, three days before a trial ends, that payment will start. */
export async function tellTrialEnds(ctx: EventContext, customerId: string, subscriptionId: string): Promise<void> {
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
        'Your plan then continues and your saved card is charged. To avoid the charge, cancel before that day.',
      ],
      action: { label: 'Open billing', url: `${ctx.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
}

/** Emails once per invoice that a plan's invoice could not be collected, with a link to pay it. */
export async function tellPaymentFailed(ctx: EventContext, invoice: InvoiceFacts): Promise<void> {
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
        'Your card was not charged. We will retry over the next few days, and your plan stays active for seven days.',
        'Pay the invoice now, or save another card.',
      ],
      action: { label: 'Pay the invoice', url: invoice.hostedUrl ?? `${ctx.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
}
