import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { InvoiceLink } from '../invoices/invoice-link.ts'
import { openInvoiceLink } from '../invoices/list-invoices.ts'
import { listReturns } from '../stripe/credit-notes.ts'
import { askingStripe } from '../stripe/failure.ts'
import { fetchInvoice } from '../stripe/fetch-invoice.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import { buildReceipt, type Payment } from './build-receipt.ts'
import type { Receipt } from './receipt.ts'

/**
 * The receipt behind a signed link, with what went back by now. Throws not_found, also for an invoice that is not paid, and
 * billing_unavailable.
 */
export async function findReceipt(deps: Deps, link: InvoiceLink): Promise<Receipt> {
  const { invoiceId } = link
  const { taxes, topup_id: topupId } = await openInvoiceLink(deps, link)
  const stripe = requireStripe(deps)
  const shop = deps.shop.current()
  return askingStripe(deps.log, async () => {
    const invoice = await fetchInvoice(stripe, invoiceId)
    const { paidAt, status, paymentIntentId, lines } = invoice
    if (status !== 'paid' || !paidAt) throw new AppError('not_found', 'This invoice is not paid: it has no receipt.')
    const returned = await listReturns(stripe, { invoiceId, paymentIntentId, taxed: taxes !== null })
    const bought = await boughtBy(deps, { invoiceId, topupId, firstLine: lines[0]?.id ?? '' })
    return buildReceipt({ invoice: { ...invoice, paidAt }, returned, bought, shop })
  })
}

async function boughtBy(
  { db }: Deps,
  { invoiceId, topupId, firstLine }: { invoiceId: string; topupId: number | null; firstLine: string },
): Promise<Payment['bought']> {
  const plans = await db.kysely
    .selectFrom('invoice_lines')
    .select(['id', 'credits', 'months'])
    .where('invoice_id', '=', invoiceId)
    .execute()
  const packs =
    topupId === null
      ? undefined
      : await db.kysely.selectFrom('topups').select('credits').where('id', '=', topupId).executeTakeFirst()
  return new Map([
    ...plans.map(({ id, credits, months }) => [id, { credits, monthly: months > 1 }] as const),
    ...(packs ? [[firstLine, { credits: packs.credits, monthly: false }] as const] : []),
  ])
}
