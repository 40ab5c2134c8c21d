import { type RawBuilder, sql } from 'kysely'
import { bucketSchema } from '../../db/bucket-schema.ts'
import type { Queryable } from '../../db/database.ts'

/** An account on its way from bucket to bucket, as `bucket_moves` has it. */
export interface Move {
  id: number
  account: number
  from: number
  to: number
  /** The account is in the new bucket; the old one still has rows to delete. */
  switched: boolean
}

export const tableOf = (bucket: number, table: string): RawBuilder<unknown> => sql.id(bucketSchema(bucket), table)

/**
 * Copies the grants, or what has changed of them, under the account's negative number. Each bucket numbers its grants itself;
 * (source_type, source_id) is the same in all.
 */
export async function copyGrants(tx: Queryable, { account, from, to }: Move): Promise<void> {
  await sql`
    insert into ${tableOf(to, 'credit_grants')} (account_id, kind, priority, amount, remaining, state, effective_at, expires_at, source_type, source_id, created_at)
    select ${-account}::bigint, kind, priority, amount, remaining, state, effective_at, expires_at, source_type, source_id, created_at
    from ${tableOf(from, 'credit_grants')} where account_id = ${account} order by created_at, id
    on conflict (source_type, source_id) do update set remaining = excluded.remaining, state = excluded.state,
      effective_at = excluded.effective_at, expires_at = excluded.expires_at`.execute(tx)
}

/**
 * Copies up to `most` further lines of the ledger, after `copyGrants`. The lines of one account are written under its lock, so their
 * numbers ascend. Returns how many were copied.
 */
export async function copyLedger(tx: Queryable, { id, account, from, to }: Move, most: number): Promise<number> {
  const { rows } = await sql<{ copied: number }>`
    with mine as (select ledger_until from bucket_moves where id = ${id} for update),
      lines as (select l.* from ${tableOf(from, 'credit_ledger')} l, mine where l.account_id = ${account} and l.id > ledger_until order by l.id limit ${most}),
      copied as (
        insert into ${tableOf(to, 'credit_ledger')} (account_id, grant_id, at, kind, delta)
        select l.account_id, n.id, l.at, l.kind, l.delta from lines l join ${tableOf(from, 'credit_grants')} g on g.id = l.grant_id
        join ${tableOf(to, 'credit_grants')} n on n.source_type = g.source_type and n.source_id = g.source_id order by l.id returning 1),
      noted as (update bucket_moves set ledger_until = coalesce((select max(id) from lines), ledger_until) where id = ${id})
    select count(*)::int as copied from copied`.execute(tx)
  return rows[0]!.copied
}
