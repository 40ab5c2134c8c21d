import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

export interface RefundLine {
  id: string
  invoice_id: string
  invoice_number: string | null
  at: string
  operator: string
  currency: string
  cents: number
  state: 'unsent' | 'pending' | 'succeeded' | 'failed'
  error: string | null
}

export interface PaidInvoice {
  id: string
  number: string | null
  created_at: string
  currency: string
  paid_cents: number
  refunded_cents: number
}

const MOST = 100

/** Refunds that operators asked for, newest first. */
export async function listRefunds(db: Queryable, accountId: number): Promise<RefundLine[]> {
  const { rows } = await sql<Omit<RefundLine, 'at'> & { at: Date }>`
    select r.act_id as id, r.invoice_id, i.number as invoice_number, r.created_at as at, r.operator, coalesce(i.currency, (select min(currency) from plans)) as currency, r.cents, r.state, r.error
    from refunds r join invoices i on i.id = r.invoice_id
    where r.account_id = ${accountId} order by r.created_at desc, r.act_id limit ${MOST}`.execute(db)
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/** Invoices that were paid with money, newest first. */
export async function listPaidInvoices(db: Queryable, accountId: number): Promise<PaidInvoice[]> {
  const { rows } = await sql<Omit<PaidInvoice, 'created_at'> & { created_at: Date }>`
    select i.id, i.number, i.created_at, coalesce(i.currency, (select min(currency) from plans)) as currency, i.paid_cents, coalesce(r.reversed_cents, 0)::bigint as refunded_cents
    from invoices i left join reversals r using (payment_intent_id)
    where i.account_id = ${accountId} and i.status = 'paid' and i.paid_cents > 0 and i.payment_intent_id is not null
    order by i.created_at desc, i.id limit ${MOST}`.execute(db)
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
}
