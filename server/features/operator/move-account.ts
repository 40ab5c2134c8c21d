import { type RawBuilder, sql } from 'kysely'
import { bucketSchema } from '../../db/bucket-schema.ts'
import { allBucketIds } from '../../db/buckets.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { patiently } from '../../db/migrate.ts'
import { leaveBucket } from './leave-bucket.ts'
import { copyGrants, copyLedger, type Move, tableOf } from './move-parts.ts'
import { switchBucket } from './switch-bucket.ts'

/** Rows copied in one transaction. More than one batch has, so that a chunk can end between two times. */
const CHUNK = 5_000
/** Calls of this long ago have been committed or never will be: the meter gives up on them long before. */
const SETTLED = sql`interval '1 minute'`

/**
 * Moves an account to another bucket while its calls go on. The history is copied in chunks; then one short transaction under the
 * account's lock moves the rest; then what is left in the old bucket is deleted. Calls in progress are decided once, in the bucket
 * that has the account. An interrupted move goes on where it stopped when this is called again. Throws a sentence for the
 * operator if there is no such bucket, or another move is under way.
 */
export async function moveAccount(
  db: Database,
  account: { id: number; publicId: string },
  to: number,
  say: (line: string) => void = () => {},
): Promise<void> {
  const move = await begin(db, account, to)
  if (!move) {
    say(`The account is in bucket ${bucketSchema(to)}.`)
    return
  }
  if (!move.switched) {
    await makePartitions(db, move)
    say(`${await copyCalls(db, move)} calls copied.`)
    say(`${await copyLedgerAhead(db, move)} lines of the ledger copied.`)
    const startedAtMs = performance.now()
    await patiently(() => db.kysely.transaction().execute((tx) => switchBucket(tx, move)))
    say(
      `The account is in bucket ${bucketSchema(move.to)}. Its calls waited ${Math.round(performance.now() - startedAtMs)} ms at most.`,
    )
  }
  await leaveBucket(db, move)
  say(`Nothing of the account is left in bucket ${bucketSchema(move.from)}.`)
}

/** The move that is under way, or a new one; null if the account is there and nothing is left to do. */
async function begin(db: Database, account: { id: number; publicId: string }, to: number): Promise<Move | null> {
  return db.kysely.transaction().execute(async (tx) => {
    if (!(await allBucketIds(tx)).includes(to))
      throw new Error(`There is no bucket ${to}. npm run admin -- buckets lists them.`)
    const { rows: homes } = await sql<{ bucket: number }>`
      select bucket from accounts where id = ${account.id} for no key update`.execute(tx)
    const { rows } = await sql<Move>`
      select id, account_id as account, from_bucket as "from", to_bucket as "to", switched_at is not null as switched
      from bucket_moves where account_id = ${account.id} and done_at is null`.execute(tx)
    const underWay = rows[0]
    if (underWay && underWay.to !== to)
      throw new Error(
        `The account is being moved to bucket ${underWay.to}. Finish that first: npm run admin -- buckets move ${account.publicId} ${underWay.to}`,
      )
    if (underWay) return underWay
    const from = homes[0]!.bucket
    if (from === to) return null
    const { rows: begun } = await sql<{ id: number }>`
      insert into bucket_moves (account_id, from_bucket, to_bucket) values (${account.id}, ${from}, ${to}) returning id`.execute(
      tx,
    )
    const move = { id: begun[0]!.id, account: account.id, from, to, switched: false }
    // Stands for the account in the new bucket until the switch: nothing finds it under this number.
    await sql`insert into ${tableOf(move.to, 'credit_accounts')} (account_id, blocked) values (${-account.id}, true)`.execute(
      tx,
    )
    return move
  })
}

/** Otherwise every row of an old day would go to the default partition first. */
async function makePartitions(db: Database, { account, from, to }: Move): Promise<void> {
  const { rows } = await sql<{ day: string }>`
    select distinct day::text from ${tableOf(from, 'usage_daily')}
    where account_id = ${account} and day in (select to_date(right(relname, 8), 'YYYYMMDD') from pg_class
      where relnamespace = ${bucketSchema(from)}::regnamespace and relname ~ '^usage_events_[0-9]{8}$')`.execute(
    db.kysely,
  )
  for (const { day } of rows)
    await patiently(() =>
      db.kysely.transaction().execute(async (tx) => {
        await sql`set local lock_timeout = '1s'`.execute(tx)
        await sql`select ${sql.id(bucketSchema(to), 'usage_partition_create')}(${day}::date)`.execute(tx)
      }),
    )
}

async function copyCalls(db: Database, move: Move): Promise<number> {
  const until = await settledUntil(db, move)
  return inChunks(db, async (tx) => {
    const { rows } = await sql<{ since: string; end: string; last: boolean }>`
      with mine as (select copied_until as since from bucket_moves where id = ${move.id} for update),
        next as (select at from ${tableOf(move.from, 'usage_events')}, mine
          where account_id = ${move.account} and at >= since and at < ${until}::timestamptz order by at offset ${CHUNK} limit 1)
      select since::text, coalesce((select at from next), ${until}::timestamptz)::text as "end", not exists (select from next) as last from mine`.execute(
      tx,
    )
    const { since, end, last } = rows[0]!
    const { numAffectedRows = 0n } = await sql`
      insert into ${tableOf(move.to, 'usage_events')} (${callColumns}) select ${callColumns} from ${tableOf(move.from, 'usage_events')}
      where account_id = ${move.account} and at >= ${since}::timestamptz and at < ${end}::timestamptz`.execute(tx)
    await sql`update bucket_moves set copied_until = ${end}::timestamptz where id = ${move.id}`.execute(tx)
    return { rows: Number(numAffectedRows), last }
  })
}

const callColumns: RawBuilder<unknown> = sql.raw(
  'account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success',
)

/** A time before which no call of the account can appear any more: whoever has its lock now commits later ones. */
async function settledUntil({ kysely }: Database, { account, from }: Move): Promise<string> {
  return kysely.transaction().execute(async (tx) => {
    await sql`select from ${tableOf(from, 'credit_accounts')} where account_id = ${account} for no key update`.execute(
      tx,
    )
    const { rows } = await sql<{ until: string }>`select (app_now() - ${SETTLED})::text as until`.execute(tx)
    return rows[0]!.until
  })
}

const copyLedgerAhead = (db: Database, move: Move): Promise<number> =>
  inChunks(db, async (tx) => {
    await copyGrants(tx, move)
    const rows = await copyLedger(tx, move, CHUNK)
    return { rows, last: rows < CHUNK }
  })

/** Repeats a transaction until it was the last. Returns how many rows all of them copied. */
async function inChunks(
  db: Database,
  copy: (tx: Queryable) => Promise<{ rows: number; last: boolean }>,
): Promise<number> {
  let total = 0
  for (;;) {
    // In one snapshot: no line of the ledger is seen without its grant.
    const { rows, last } = await db.kysely.transaction().setIsolationLevel('repeatable read').execute(copy)
    total += rows
    if (last) return total
  }
}
