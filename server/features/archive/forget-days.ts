import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ArchiveStore } from './archive-store.ts'

/** Removes the archived days past retention. The file goes first, so that a killed attempt is repeated. Returns the days. */
export async function forgetDays(db: Database, store: ArchiveStore, retainDays: number): Promise<string[]> {
  const { rows } = await sql<{ day: string; file: string }>`
    select day::text, file from usage_archives where day < (app_now() at time zone 'UTC')::date - ${retainDays}::int order by 1`.execute(
    db.kysely,
  )
  for (const { day, file } of rows) {
    await store.remove(file)
    await sql`delete from usage_archives where day = ${day}::date`.execute(db.kysely)
  }
  return rows.map(({ day }) => day)
}
