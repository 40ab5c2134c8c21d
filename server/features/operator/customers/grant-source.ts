import { sql } from 'kysely'

/** SQL: joins the invoice `i` that paid for the grant `g`, in a query that sees the bucket of its account. */
export const withInvoiceOfGrant = sql`
  left join invoice_lines il on g.source_type = 'plan_line' and il.id = split_part(g.source_id, ':', 1)
  left join topups t on t.id = case when g.source_type = 'topup' then g.source_id::bigint end
  left join invoices i on i.id = coalesce(il.invoice_id, t.invoice_id,
    (select id from invoices bought where bought.account_id = g.account_id and bought.topup_id = t.id limit 1))`
