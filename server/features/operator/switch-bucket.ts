import { sql } from 'kysely'
import { bucketSchema } from '../../db/bucket-schema.ts'
import type { Queryable } from '../../db/database.ts'
import { copyGrants, copyLedger, type Move, tableOf } from './move-parts.ts'

/** Moved whole in the switch, each after those that it refers to. */
const wholeTables = [
  'meter_keys',
  'idempotency',
  'credit_holds',
  'usage_alerts_due',
  'usage_open',
  'usage_hourly',
  'usage_daily',
  'usage_latency',
  'usage_reports',
]

/**
 * Moves what the copy ahead has not, and the account itself, in the caller's transaction. Calls of the account wait for it, and then
 * find it in the new bucket. Does nothing if it was done before.
 */
export async function switchBucket(tx: Queryable, move: Move): Promise<void> {
  const { id, account, from, to } = move
  await sql`set local lock_timeout = '1s'`.execute(tx)
  const { rows: open } =
    await sql`select from bucket_moves where id = ${id} and switched_at is null for update`.execute(tx)
  if (open.length === 0) return
  // First whoever has entered the bucket, then the account's calls, in the order in which they take these locks.
  await sql`select from accounts where id = ${account} for update`.execute(tx)
  await sql`select from ${tableOf(from, 'credit_accounts')} where account_id = ${account} for update`.execute(tx)
  await foldAll(tx, from)

  await moveAccountRow(tx, move)
  await copyGrants(tx, move)
  await copyLedger(tx, move, Number.MAX_SAFE_INTEGER)
  await copyRestOfCalls(tx, move)
  await sql`update ${tableOf(to, 'credit_grants')} set account_id = ${account} where account_id = ${-account}`.execute(
    tx,
  )
  await sql`delete from ${tableOf(to, 'credit_accounts')} where account_id = ${-account}`.execute(tx)
  for (const table of wholeTables) await moveWhole(tx, move, table)

  // From here on the old bucket does not know the account: what arrives there is routed anew.
  await sql`insert into ${tableOf(from, 'credit_accounts')} (account_id, blocked) values (${-account}, true)`.execute(
    tx,
  )
  await sql`update ${tableOf(from, 'credit_grants')} set account_id = ${-account} where account_id = ${account}`.execute(
    tx,
  )
  await sql`delete from ${tableOf(from, 'credit_accounts')} where account_id = ${account}`.execute(tx)
  await sql`update accounts set bucket = ${to} where id = ${account}`.execute(tx)
  await sql`update bucket_moves set switched_at = clock_timestamp() where id = ${id}`.execute(tx)
  for (const channel of ['account_changed', 'credits_changed'])
    await sql`select pg_notify(${channel}, ${String(account)})`.execute(tx)
}

/** Adds every pending commit to the sums, and keeps others from doing so until the transaction ends. */
async function foldAll(tx: Queryable, bucket: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${`${bucketSchema(bucket)}.usage_fold`}))`.execute(tx)
  const { rows } = await sql<{
    folded: boolean
  }>`select ${sql.id(bucketSchema(bucket), 'usage_fold')}() as folded`.execute(tx)
  if (!rows[0]!.folded) throw new Error('Another session is folding usage under its own lock.')
  // A fold does not wait for the disk; this transaction does.
  await sql`set local synchronous_commit = on`.execute(tx)
}

async function moveAccountRow(tx: Queryable, { account, from, to }: Move): Promise<void> {
  const columns = await columnsOf(tx, from, 'credit_accounts')
  await sql`
    insert into ${tableOf(to, 'credit_accounts')} (${columns}) select ${columns} from ${tableOf(from, 'credit_accounts')} where account_id = ${account}`.execute(
    tx,
  )
}

async function copyRestOfCalls(tx: Queryable, { id, account, from, to }: Move): Promise<void> {
  const columns = await columnsOf(tx, from, 'usage_events')
  const calls = tableOf(from, 'usage_events')
  await sql`
    insert into ${tableOf(to, 'usage_events')} (${columns}) select ${columns} from ${calls}
    where account_id = ${account} and at >= (select copied_until from bucket_moves where id = ${id})`.execute(tx)
  // Charges that were taken back after they had been copied.
  await sql`
    update ${tableOf(to, 'usage_events')} n set success = o.success, from_credits = o.from_credits, from_payg = o.from_payg
    from ${tableOf(from, 'meter_batches')} b join ${calls} o on o.account_id = ${account} and o.at = b.at and o.batch = b.id
    where b.voided and n.account_id = ${account} and n.at = o.at and n.batch = o.batch and n.n = o.n and n.success and not o.success`.execute(
    tx,
  )
}

async function moveWhole(tx: Queryable, { account, from, to }: Move, table: string): Promise<void> {
  const columns = await columnsOf(tx, from, table)
  await sql`
    insert into ${tableOf(to, table)} (${columns}) select ${columns} from ${tableOf(from, table)} where account_id = ${account}`.execute(
    tx,
  )
  await sql`delete from ${tableOf(from, table)} where account_id = ${account}`.execute(tx)
}

/** Without those that each bucket numbers itself. */
async function columnsOf(tx: Queryable, bucket: number, table: string) {
  const { rows } = await sql<{ name: string }>`
    select attname::text as name from pg_attribute
    where attrelid = ${`${bucketSchema(bucket)}.${table}`}::regclass and attnum > 0 and not attisdropped and attidentity = '' order by attnum`.execute(
    tx,
  )
  return sql.join(rows.map(({ name }) => sql.id(name)))
}
