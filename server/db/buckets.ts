import { sql } from 'kysely'
import { searchPathOf } from './bucket-schema.ts'
import { DatabaseClient } from './client.ts'
import { type Database, openDatabase, type Queryable } from './database.ts'
import type { Placement } from './placement.ts'

/**
 * Opens the database of an installation, migrated or not. With one bucket the handle sees its tables; with several it sees none of them, so that a
 * statement without a bucket fails.
 */
export async function openBuckets(
  connectionString: string,
  poolSize: number,
  onError: (error: Error) => void,
  placement?: Placement,
): Promise<Database> {
  const client = new DatabaseClient({ connectionString, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    const { rows } = await client.query(`select to_regclass('public.buckets') as made`)
    const made = rows[0].made !== null
    const { rows: several } = made ? await client.query('select from public.buckets offset 1 limit 1') : { rows: [] }
    return openDatabase(connectionString, poolSize, onError, several.length > 0 ? 'public' : searchPathOf(0), placement)
  } finally {
    await client.end()
  }
}

/** A bucket with its handle. */
export interface OpenBucket {
  bucket: number
  db: Database
}

/** All buckets, in order. Read each time: a running server learns of new ones. */
export async function allBuckets(db: Database): Promise<OpenBucket[]> {
  return (await allBucketIds(db.kysely)).map((bucket) => ({ bucket, db: db.of(bucket) }))
}

export async function allBucketIds(db: Queryable): Promise<number[]> {
  const rows = await db.selectFrom('buckets').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/**
 * Does a job's work in each bucket and returns the results, in order. A bucket that fails does not stop the others; the first
 * error is thrown at the end.
 */
export async function eachBucket<T>(db: Database, work: (db: Database, bucket: number) => Promise<T>): Promise<T[]> {
  const failures: unknown[] = []
  const results: T[] = []
  for (const { bucket, db: handle } of await allBuckets(db))
    await work(handle, bucket).then(
      (result) => results.push(result),
      (error: unknown) => failures.push(error),
    )
  if (failures.length > 0) throw failures[0]
  return results
}

/** The same for work that counts what it does: the sum. */
export async function sumOfBuckets(
  db: Database,
  work: (db: Database, bucket: number) => Promise<number>,
): Promise<number> {
  return (await eachBucket(db, work)).reduce((sum, count) => sum + count, 0)
}

/** The bucket of an account; null: there is no such account. */
export async function bucketOf(db: Queryable, accountId: number): Promise<number | null> {
  const row = await db.selectFrom('accounts').select('bucket').where('id', '=', accountId).executeTakeFirst()
  return row?.bucket ?? null
}

/**
 * Where to ask again about an account that bucket `asked` did not know; null: the response holds. The account may even have come
 * back there meanwhile.
 */
export async function movedTo(db: Queryable, accountId: number, asked: number): Promise<number | null> {
  const { rows } = await sql<{ bucket: number }>`
    select bucket from accounts where id = ${accountId} and (bucket <> ${asked} or exists (select from bucket_moves
      where account_id = ${accountId} and switched_at > clock_timestamp() - interval '10 seconds'))`.execute(db)
  return rows[0]?.bucket ?? null
}

/** The handle of an account's bucket. A move may end meanwhile: what writes enters the bucket in its transaction instead. */
export async function homeOf(db: Database, accountId: number): Promise<Database> {
  return db.of((await bucketOf(db.kysely, accountId)) ?? 0)
}

/** SQL: the search path of an account, in a query on `accounts`. As `searchPathOf`. */
export const accountPathSql = `'m' || lpad(bucket::text, greatest(2, length(bucket::text)), '0') || ', public'`

/**
 * Lets the rest of the transaction see the bucket of this account, and keeps the account from moving until the transaction ends.
 * Entering another account's bucket later is allowed.
 */
export async function enterBucket(tx: Queryable, accountId: number): Promise<void> {
  const { rows } = await sql`
    select set_config('search_path', ${sql.raw(accountPathSql)}, true) from accounts where id = ${accountId} for key share`.execute(
    tx,
  )
  if (rows.length === 0) throw new Error(`There is no account ${accountId}.`)
}

/** The same for a bucket by its number, without an account. */
export async function enterBucketNumber(tx: Queryable, bucket: number): Promise<void> {
  await sql`select set_config('search_path', ${searchPathOf(bucket)}, true)`.execute(tx)
}

/** Lets the rest of the transaction read the metering tables of all buckets together. */
export async function enterAllBuckets(tx: Queryable): Promise<void> {
  await sql`select set_config('search_path', 'metering, public', true)`.execute(tx)
}

/** SQL: the bucket for a new account, the one with the fewest. Counts nothing where there is only one. */
export const emptiestBucket = sql<number>`(select case when count(*) = 1 then min(id) else (
  select b.id from buckets b order by (select count(*) from accounts a where a.bucket = b.id), b.id limit 1) end from buckets)`
