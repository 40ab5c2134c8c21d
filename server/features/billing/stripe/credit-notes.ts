import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'

export interface Credited {
  /** Of the credit notes of a payment, with tax. */
  cents: number
  taxCents: number
}

/**
 * Gives each refund of a taxed invoice its credit note, once, so that its tax goes back with it in Stripe's reports, and returns the
 * sums of them all. A refund on its way gets its note when it has arrived.
 */
export async function creditRefunds(
  { client }: StripeAccess,
  { invoiceId, chargeId }: { invoiceId: string; chargeId: string },
): Promise<Credited> {
  const notes = (await client.creditNotes.list({ invoice: invoiceId, limit: 100 })).data.filter(
    ({ status }) => status === 'issued',
  )
  const credited = new Set(notes.flatMap(({ refunds }) => refunds.map(({ refund }) => idOf(refund))))
  const refunds = await client.refunds.list({ charge: chargeId, limit: 100 })
  for (const { id, amount, status } of refunds.data)
    if (status === 'succeeded' && !credited.has(id))
      notes.push(
        await client.creditNotes.create(
          { invoice: invoiceId, amount, refunds: [{ refund: id, amount_refunded: amount }], email_type: 'none' },
          { idempotencyKey: `note:${id}` },
        ),
      )
  const taxOf = (taxes: { amount: number }[] | null) => (taxes ?? []).reduce((sum, { amount }) => sum + amount, 0)
  return {
    cents: notes.reduce((sum, { total }) => sum + total, 0),
    taxCents: notes.reduce((sum, { total_taxes }) => sum + taxOf(total_taxes), 0),
  }
}
