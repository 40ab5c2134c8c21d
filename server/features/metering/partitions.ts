import { sql } from 'kysely'
import { eachBucket } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

export interface PartitionPolicy {
  /** Days ahead for which partitions are created. */
  aheadDays: number
  /** Whole UTC days for which call rows are kept. Sums are kept forever. */
  retainDays: number
}

/** Also for archived days. */
export const RETAIN_DAYS = 400
const policy: PartitionPolicy = { aheadDays: 7, retainDays: RETAIN_DAYS }

/**
 * Creates missing daily partitions of usage rows (past days whose rows are in the default partition, today and the days
 * ahead) and drops the days past retention. Safe anywhere and at any time. A late partition loses nothing: its rows
 * wait in the default partition until this runs.
 */
export async function keepPartitions(
  db: Database,
  given: PartitionPolicy = policy,
): Promise<{ created: string[]; dropped: string[] }> {
  const kept = await eachBucket(db, (handle) => keepInBucket(handle, given))
  return { created: kept.flatMap(({ created }) => created), dropped: kept.flatMap(({ dropped }) => dropped) }
}

async function keepInBucket(
  db: Database,
  { aheadDays, retainDays }: PartitionPolicy,
): Promise<{ created: string[]; dropped: string[] }> {
  const created: string[] = []
  for (const day of await wantedDays(db, aheadDays)) if (await createPartition(db, day)) created.push(day)
  const dropped: string[] = []
  for (const partition of await endedPartitions(db, retainDays)) {
    await inShortTransaction(db, `drop table if exists ${partition}`)
    dropped.push(partition)
  }
  return { created, dropped }
}

async function wantedDays(db: Database, aheadDays: number): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    select day::date::text as day from generate_series(0, ${aheadDays}::int) n, lateral (select (app_now() at time zone 'UTC')::date + n as day) d
    union select distinct (at at time zone 'UTC')::date::text from usage_events_default
    order by 1`.execute(db.kysely)
  return rows.map(({ day }) => day)
}

async function createPartition(db: Database, day: string): Promise<boolean> {
  return db.kysely.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = '2s'`.execute(tx)
    const { rows } = await sql<{ made: boolean }>`select usage_partition_create(${day}::date) as made`.execute(tx)
    return rows[0]?.made === true
  })
}

/** Names created by usage_partition_create only: usage_events_YYYYMMDD. */
async function endedPartitions(db: Database, retainDays: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'usage_events'::regclass and c.relname ~ '^usage_events_[0-9]{8}$'
      and to_date(right(c.relname, 8), 'YYYYMMDD') < (app_now() at time zone 'UTC')::date - ${retainDays}::int
    order by 1`.execute(db.kysely)
  return rows.map(({ name }) => name)
}

/**
 * Dropping a partition locks the whole table briefly: failing and retrying in an hour is better than blocking calls.
 */
async function inShortTransaction(db: Database, statement: string): Promise<void> {
  await db.kysely.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = '2s'`.execute(tx)
    await sql.raw(statement).execute(tx)
  })
}
