import type { UpcomingInvoice } from '#contract/billing.ts'
import type { StripeAccess } from './client.ts'
import { taxesOf } from './fetch-invoice.ts'

/** What a subscription's next invoice would charge; null when nothing. */
export async function previewInvoice(
  { client }: StripeAccess,
  customer: string,
  subscription: string,
): Promise<Omit<UpcomingInvoice, 'at'> | null> {
  const found = await client.invoices.createPreview({ customer, subscription })
  if (found.amount_due === 0 && found.total === 0) return null
  const taxes = await taxesOf(client, found, found.lines.data)
  return {
    amount: found.amount_due,
    currency: found.currency,
    lines: found.lines.data.map(({ description, amount }) => ({ description: description ?? 'Plan', amount })),
    ...(taxes && {
      taxes: taxes
        .filter(({ included, cents }) => !included && cents !== 0)
        .map(({ label, percent, cents }) => ({ label, percent, amount: cents })),
    }),
  }
}
