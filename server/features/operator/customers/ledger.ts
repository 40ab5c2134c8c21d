import { sql } from 'kysely'
import type { LedgerLine } from '#contract/operator/customers.ts'
import type { Queryable } from '../../../db/database.ts'
import { withInvoiceOfGrant } from './grant-source.ts'

/** Lines of the credit ledger, newest first; `next`: the cursor of the page after. `db` sees the account's bucket. */
export async function readLedger(
  db: Queryable,
  account: number,
  { before, limit = 50 }: { before?: number | undefined; limit?: number } = {},
): Promise<{ lines: LedgerLine[]; next: number | null }> {
  const { rows } = await sql<Omit<LedgerLine, 'at'> & { at: Date }>`
    select l.id, l.at, l.kind, l.delta, l.grant_id,
      json_build_object('kind', case when g.source_type = 'meter_batch' then 'calls' when g.kind = 'promo' and g.source_type = 'operator'
        then 'operator' else g.kind end, 'invoice_id', i.id, 'invoice_number', i.number) as source
    from (select * from credit_ledger where account_id = ${account} ${before === undefined ? sql`` : sql`and id < ${before}`}
      order by id desc limit ${limit + 1}) l
    join credit_grants g on g.id = l.grant_id ${withInvoiceOfGrant}
    order by l.id desc`.execute(db)
  const lines = rows.slice(0, limit).map(({ at, ...line }) => ({ ...line, at: at.toISOString() }))
  return { lines, next: rows.length > limit ? lines.at(-1)!.id : null }
}
