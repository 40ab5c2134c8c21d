import { sql } from 'kysely'
import type { z } from 'zod'
import type { customerInvoice } from '#contract/operator/customers.ts'
import type { Queryable } from '../../../db/database.ts'
import { findCustomer } from './customer-facts.ts'

type Invoice = z.input<typeof customerInvoice>

const PAGE = 50

/** Invoices with what was taken back of them, newest first, without drafts and $0 invoices. The cursor is an invoice. Throws not_found. */
export async function listInvoicesOfCustomer(
  db: Queryable,
  publicId: string,
  before?: string,
): Promise<{ invoices: Invoice[]; next: string | null }> {
  const { number: account } = await findCustomer(db, publicId)
  const { rows } = await sql<Omit<Invoice, 'created_at'> & { created_at: Date }>`
    select i.id, i.number, i.status, i.created_at, coalesce(i.currency, (select min(currency) from plans)) as currency, i.amount_cents, i.paid_cents, coalesce(r.cents, 0)::bigint as reversed_cents, r.dispute,
      coalesce((select to_char(credits, 'FM999,999,999,990') || ' credits' from topups t where t.id = i.topup_id),
        (select string_agg(distinct p.name, ', ') from invoice_lines l join plans p using (price_id) where l.invoice_id = i.id),
        (select p.name from payg_invoices g join plans p using (price_id) where g.invoice_id = i.id limit 1),
        (select p.name from subscriptions s join plans p using (price_id) where s.id = i.subscription_id)) as about
    from invoices i
    left join lateral (select sum(reversed_cents) as cents,
        (select d.status from disputes d where d.charge_id = any(array_agg(x.charge_id)) order by d.id desc limit 1) as dispute
      from reversals x where x.account_id = i.account_id and x.payment_intent_id = i.payment_intent_id) r on true
    where i.account_id = ${account} and i.status <> 'draft' and i.amount_cents <> 0
      ${before === undefined ? sql`` : sql`and (i.created_at, i.id) < (select created_at, id from invoices where id = ${before} and account_id = ${account})`}
    order by i.created_at desc, i.id desc limit ${PAGE + 1}`.execute(db)
  const invoices = rows.slice(0, PAGE).map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
  return { invoices, next: rows.length > PAGE ? invoices.at(-1)!.id : null }
}
