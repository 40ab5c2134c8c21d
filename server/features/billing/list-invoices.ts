import type { Invoice } from '#contract/billing.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { checkInvoiceLink, INVALID_LINK, type InvoiceLink, signInvoiceLink } from './invoice-link.ts'
import { requireStripe } from './require-stripe.ts'
import { askingStripe } from './stripe/failure.ts'
import { fetchPdfUrl } from './stripe/fetch-invoice.ts'

/**
 * The account's invoices, newest first. Drafts are not shown, nor those over nothing: the free plan has one each month.
 * Where an invoice has a PDF, its link works for fifteen minutes.
 */
export async function listInvoices(
  deps: Pick<Deps, 'db' | 'config' | 'secrets' | 'stripe'>,
  accountId: number,
): Promise<Invoice[]> {
  const rows = await deps.db.kysely
    .selectFrom('invoices')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status', '<>', 'draft')
    .where('amount_cents', '<>', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    number: row.number ?? row.id,
    created_at: row.created_at.toISOString(),
    amount: row.amount_cents,
    status: row.status as Invoice['status'],
    invoice_pdf: deps.stripe ? signInvoiceLink(deps, accountId, row.id, Date.now()) : null,
  }))
}

/** Where a signed link's PDF is at Stripe at this moment. Throws not_found, billing_unavailable. */
export async function findInvoicePdf(deps: Deps, link: InvoiceLink): Promise<string> {
  const found = await deps.db.kysely
    .selectFrom('invoices')
    .select('account_id')
    .where('id', '=', link.invoiceId)
    .executeTakeFirst()
  if (!found) throw new AppError('not_found', INVALID_LINK)
  checkInvoiceLink(deps, found.account_id, link, Date.now())
  const stripe = requireStripe(deps)
  const url = await askingStripe(deps.log, () => fetchPdfUrl(stripe, link.invoiceId))
  if (!url) throw new AppError('not_found', 'This invoice has no PDF.')
  return url
}
