import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { findAccount } from './find-account.ts'

export interface InvoiceLine {
  id: string
  number: string | null
  status: string
  createdAt: Date
  currency: string
  amountCents: number
  /** Refunded, or taken back by a dispute that is open or lost. */
  reversedCents: number
  ownerEmail: string | null
}

/** Invoices for an operator, newest first, without drafts and $0 invoices. `named`: only those of one account. */
export async function listInvoicesByOperator(
  db: Queryable,
  { named, limit }: { named?: string | undefined; limit: number },
): Promise<InvoiceLine[]> {
  const accountId = named === undefined ? null : (await findAccount(db, named)).id
  const { rows } = await sql<InvoiceLine>`
    select i.id, i.number, i.status, i.created_at as "createdAt", coalesce(i.currency, (select min(currency) from plans)) as currency, i.amount_cents as "amountCents",
      coalesce(r.reversed_cents, 0) as "reversedCents", p.email as "ownerEmail"
    from invoices i
    left join lateral (select sum(reversed_cents)::bigint as reversed_cents from reversals
      where reversals.payment_intent_id = i.payment_intent_id) r on true
    left join account_members m on m.account_id = i.account_id and m.role = 'owner'
    left join profiles p on p.user_id = m.user_id
    where i.status <> 'draft' and i.amount_cents <> 0 and (${accountId}::bigint is null or i.account_id = ${accountId})
    order by i.created_at desc, i.id limit ${limit}`.execute(db)
  return rows
}
