import type { Logger } from 'pino'
import Stripe from 'stripe'
import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'
import { isSameTax } from './fetch-invoice.ts'
import { date } from './fetch-subscription.ts'

export interface Credited {
  /** Of the credit notes of a payment, with tax. */
  cents: number
  taxCents: number
  /** The same of each tax of the invoice, in its order; null: it has one, or the notes do not say. */
  each: number[] | null
}

/**
 * Gives each refund of a taxed invoice its credit note, once, so that its tax goes back with it in Stripe's reports, and returns the
 * sums of them all. A refund on its way gets its note when it has arrived. One that Stripe refuses, because other credit notes of the
 * operator's leave no room, is logged: the money has gone back all the same.
 */
export async function creditRefunds(
  { client }: StripeAccess,
  { invoiceId, taxCount, chargeId, log }: { invoiceId: string; taxCount: number; chargeId: string; log: Logger },
): Promise<Credited> {
  const notes = (await issuedFor(client, invoiceId)).filter(paysBack)
  const credited = refundsOf(notes)
  const refunds = await client.refunds.list({ charge: chargeId, limit: 100 })
  for (const { id, amount, status } of refunds.data)
    if (status === 'succeeded' && !credited.has(id))
      try {
        const refunded = [{ refund: id, amount_refunded: amount }]
        const note = { invoice: invoiceId, amount, refunds: refunded, email_type: 'none' as const }
        notes.push(await client.creditNotes.create(note, { idempotencyKey: `note:${id}` }))
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        log.error({ invoice: invoiceId, refund: id, code: error.code }, 'a refund has no credit note')
      }
  return sumUp(client, invoiceId, taxCount, notes)
}

/** What credit notes took away before the invoice was paid: nobody has paid its tax. */
export async function creditedBefore({ client }: StripeAccess, invoiceId: string, taxCount: number): Promise<Credited> {
  const notes = (await issuedFor(client, invoiceId)).filter((note) => !paysBack(note))
  return sumUp(client, invoiceId, taxCount, notes)
}

async function sumUp(
  client: Stripe,
  invoiceId: string,
  taxCount: number,
  notes: Stripe.CreditNote[],
): Promise<Credited> {
  // Nearly every invoice has one tax, which is the sum.
  const taxes = (taxCount > 1 && (await client.invoices.retrieve(invoiceId)).total_taxes) || []
  const noted = notes.flatMap(({ total_taxes }) => total_taxes ?? [])
  const each = taxes.map((tax) => noted.reduce((sum, one) => sum + (isSameTax(one, tax) ? one.amount : 0), 0))
  const taxCents = notes.reduce((sum, note) => sum + taxOf(note), 0)
  const isWhole = each.reduce((sum, one) => sum + one, 0) === taxCents
  return {
    cents: notes.reduce((sum, { total }) => sum + total, 0),
    taxCents,
    each: taxes.length > 1 && isWhole ? each : null,
  }
}

const paysBack = ({ post_payment_amount }: Stripe.CreditNote): boolean => post_payment_amount > 0

const issuedFor = async (client: Stripe, invoiceId: string): Promise<Stripe.CreditNote[]> =>
  (await client.creditNotes.list({ invoice: invoiceId, limit: 100 })).data.filter(({ status }) => status === 'issued')

const refundsOf = (notes: Stripe.CreditNote[]): Set<string> =>
  new Set(notes.flatMap(({ refunds }) => refunds.map(({ refund }) => idOf(refund))))

const taxOf = ({ total_taxes }: Stripe.CreditNote): number =>
  (total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0)

/** Money that went back for an invoice: a credit note, or a refund that has none. */
export interface Returned {
  at: Date
  cents: number
  taxCents: number
  /** Number of the credit note. */
  note: string | null
}

/** What went back for an invoice by now, oldest first. `taxed`: it may have credit notes. */
export async function listReturns(
  { client }: StripeAccess,
  { invoiceId, paymentIntentId, taxed }: { invoiceId: string; paymentIntentId: string | null; taxed: boolean },
): Promise<Returned[]> {
  const notes = taxed ? (await issuedFor(client, invoiceId)).filter(paysBack) : []
  const noted = refundsOf(notes)
  const refunds = paymentIntentId ? await client.refunds.list({ payment_intent: paymentIntentId, limit: 100 }) : null
  const unnoted = (refunds?.data ?? []).filter(({ id, status }) => status === 'succeeded' && !noted.has(id))
  return [
    ...notes.map((note) => ({
      at: date(note.created),
      cents: note.total,
      taxCents: taxOf(note),
      note: note.number,
    })),
    ...unnoted.map(({ created, amount }) => ({ at: date(created), cents: amount, taxCents: 0, note: null })),
  ].sort((one, other) => one.at.getTime() - other.at.getTime())
}
