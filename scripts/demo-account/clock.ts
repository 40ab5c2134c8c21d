import { sql } from 'kysely'
import type { Database } from '#server/db/database.ts'

/** Sets the clocks of the product and of the Stripe sandbox to this time. */
export async function setClock(db: Database, timeMs: number): Promise<void> {
  const seconds = Math.round((timeMs - Date.now()) / 1000)
  await sql`insert into app_clock (offset_by) values (make_interval(secs => ${seconds}))
    on conflict (only_row) do update set offset_by = excluded.offset_by`.execute(db.kysely)
  await setSandbox(db, seconds)
}

/** Both clocks show the machine's time again. */
export async function resetClock(db: Database): Promise<void> {
  await sql`delete from app_clock`.execute(db.kysely)
  await setSandbox(db, 0)
}

const setSandbox = (db: Database, seconds: number) =>
  sql`update stripe_sandbox.settings set value = ${String(seconds)} where name = 'clock_offset'`.execute(db.kysely)

/** The partition of the usage log for a day of the past. */
export const makePartition = (db: Database, timeMs: number) =>
  sql`select usage_partition_create((to_timestamp(${timeMs / 1000}) at time zone 'UTC')::date)`.execute(db.kysely)
