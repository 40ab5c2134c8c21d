import { sql } from 'kysely'
import { bucketSchema } from '../../db/bucket-schema.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { patiently } from '../../db/migrate.ts'
import { type Move, tableOf } from './move-parts.ts'

const CHUNK = 5_000

/**
 * Deletes what an account has left behind in its old bucket, in short transactions. A row that the copy has missed moves now, so
 * nothing is ever lost. Repeating it changes nothing.
 */
export async function leaveBucket(db: Database, move: Move): Promise<void> {
  const { id, account, from } = move
  await untilNone(db, (tx) => deleteCalls(tx, move))
  await untilNone(db, (tx) => deleteLedger(tx, move))
  await db.kysely.transaction().execute(async (tx) => {
    await sql`delete from ${tableOf(from, 'credit_grants')} where account_id = ${-account}`.execute(tx)
    await sql`delete from ${tableOf(from, 'credit_accounts')} where account_id = ${-account}`.execute(tx)
    await moveLateRefusals(tx, move)
    await sql`update bucket_moves set done_at = clock_timestamp() where id = ${id} and done_at is null`.execute(tx)
  })
}

async function untilNone(db: Database, remove: (tx: Queryable) => Promise<number>): Promise<void> {
  while (
    (await patiently(() =>
      db.kysely.transaction().execute(async (tx) => {
        await sql`set local lock_timeout = '1s'`.execute(tx)
        return remove(tx)
      }),
    )) > 0
  );
}

async function deleteCalls(tx: Queryable, { account, from, to }: Move): Promise<number> {
  const calls = tableOf(from, 'usage_events')
  const copies = tableOf(to, 'usage_events')
  const { rows } = await sql<{ deleted: number }>`
    with gone as (
      delete from ${calls} where account_id = ${account} and at <= (
        select max(at) from (select at from ${calls} where account_id = ${account} order by at limit ${CHUNK}) c) returning *
    ), missed as (
      insert into ${copies} (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success, units)
      select account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success, units from gone g
      where not exists (select from ${copies} n where n.account_id = g.account_id and n.at = g.at and n.batch = g.batch and n.n = g.n)
    )
    select count(*)::int as deleted from gone`.execute(tx)
  return rows[0]!.deleted
}

/** The only place that deletes lines of a ledger: they are in that of the new bucket. */
async function deleteLedger(tx: Queryable, { account, from }: Move): Promise<number> {
  const ledger = tableOf(from, 'credit_ledger')
  const { rows } = await sql`select from ${ledger} where account_id = ${account} limit 1`.execute(tx)
  if (rows.length === 0) return 0
  await sql`alter table ${ledger} disable rule append_only_delete`.execute(tx)
  const { numAffectedRows = 0n } = await sql`
    delete from ${ledger} where account_id = ${account} and id <= (
      select max(id) from (select id from ${ledger} where account_id = ${account} order by id limit ${CHUNK}) c)`.execute(
    tx,
  )
  await sql`alter table ${ledger} enable rule append_only_delete`.execute(tx)
  return Number(numAffectedRows)
}

/** Refusals are counted without the account's lock, so a server may have counted one in the old bucket after the switch. */
async function moveLateRefusals(tx: Queryable, { account, from, to }: Move): Promise<void> {
  await sql`select ${sql.id(bucketSchema(from), 'usage_fold')}()`.execute(tx)
  await sql`set local synchronous_commit = on`.execute(tx)
  await sql`
    with gone as (delete from ${tableOf(from, 'usage_open')} where account_id = ${account} returning *)
    insert into ${tableOf(to, 'usage_open')} as o (account_id, key_id, hour, bucket, success, failed, refused, from_credits, from_payg, last_at)
    select account_id, key_id, hour, bucket, success, failed, refused, from_credits, from_payg, last_at from gone
    on conflict (account_id, hour, key_id, bucket) do update set refused = o.refused + excluded.refused`.execute(tx)
}
