import { sql } from 'kysely'
import type { Invoice } from '#contract/billing.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { hasAccess } from '../../account/has-access.ts'
import { askingStripe } from '../stripe/failure.ts'
import type { TaxLine } from '../stripe/fetch-invoice.ts'
import { fetchPdfUrl } from '../stripe/fetch-invoice.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import { presentTax } from '../taxes/present-tax.ts'
import { checkInvoiceLink, INVALID_LINK, type InvoiceLink, type Reader, signInvoiceLink } from './invoice-link.ts'

/**
 * The account's invoices, newest first, without drafts and $0 invoices (the free plan creates one each month). PDF
 * links work for fifteen minutes; an operator's view, which they would outlive, has none.
 */
export async function listInvoices(
  deps: Pick<Deps, 'db' | 'config' | 'secrets' | 'stripe'>,
  { accountId, userId, isView = false }: Reader & { isView?: boolean },
): Promise<Invoice[]> {
  const rows = await deps.db.kysely
    .selectFrom('invoices')
    .selectAll()
    .select([
      sql<string>`coalesce(invoices.currency, (select min(currency) from plans))`.as('currency'),
      sql<number | null>`(select credits from topups where topups.id = invoices.topup_id)`.as('credits'),
      sql<string | null>`coalesce(
        (select string_agg(distinct p.name, ', ') from invoice_lines l join plans p on p.price_id = l.price_id
          where l.invoice_id = invoices.id),
        (select p.name from payg_invoices g join plans p on p.price_id = g.price_id where g.invoice_id = invoices.id limit 1),
        (select p.name from subscriptions s join plans p on p.price_id = s.price_id where s.id = invoices.subscription_id))`.as(
        'plans',
      ),
    ])
    .where('account_id', '=', accountId)
    .where('status', '<>', 'draft')
    .where('amount_cents', '<>', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  const link = (id: string, file: 'pdf' | 'receipt') =>
    deps.stripe && !isView ? signInvoiceLink(deps, { accountId, userId }, id, file, Date.now()) : null
  return rows.map((row) => ({
    id: row.id,
    number: row.number ?? row.id,
    description: row.credits === null ? row.plans : `${row.credits.toLocaleString('en-US')} credits`,
    created_at: row.created_at.toISOString(),
    amount: row.amount_cents,
    currency: row.currency,
    status: row.status as Invoice['status'],
    invoice_pdf: link(row.id, 'pdf'),
    receipt: row.status === 'paid' ? link(row.id, 'receipt') : null,
    ...(row.taxes !== null && { tax: presentTax(row.taxes as unknown as TaxLine[]) }),
  }))
}

/**
 * The current Stripe URL behind a signed link. Throws not_found, also when the link's person has no access to the workspace
 * any more, and billing_unavailable.
 */
export async function findInvoicePdf(deps: Deps, link: InvoiceLink): Promise<string> {
  await openInvoiceLink(deps, link)
  const stripe = requireStripe(deps)
  const url = await askingStripe(deps.log, () => fetchPdfUrl(stripe, link.invoiceId))
  if (!url) throw new AppError('not_found', 'This invoice has no PDF.')
  return url
}

/** Our copy of the invoice that a signed link opens. Throws not_found. */
export async function openInvoiceLink(deps: Deps, link: InvoiceLink) {
  const found = await deps.db.kysely
    .selectFrom('invoices')
    .select(['account_id', 'taxes', 'topup_id'])
    .where('id', '=', link.invoiceId)
    .executeTakeFirst()
  if (!found) throw new AppError('not_found', INVALID_LINK)
  checkInvoiceLink(deps, found.account_id, link, Date.now())
  if (!(await hasAccess(deps, { accountId: found.account_id, userId: link.userId })))
    throw new AppError('not_found', INVALID_LINK)
  return found
}
