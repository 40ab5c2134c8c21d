import type { Invoice } from '#contract/billing.ts'
import type { Queryable } from '../../db/database.ts'

/** The account's invoices, newest first. */
export async function listInvoices(db: Queryable, accountId: number): Promise<Invoice[]> {
  const rows = await db
    .selectFrom('invoices')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    created_at: row.created_at.toISOString(),
    amount: row.amount_cents,
    status: row.status as Invoice['status'],
    invoice_pdf: null,
  }))
}
