import { sql } from 'kysely'
import { allBuckets } from '../../../db/buckets.ts'
import type { Database } from '../../../db/database.ts'

/**
 * The second before which nothing more can be written: now, or when the oldest transaction began that is still writing. Each row is
 * then read once, by its time.
 */
export async function closedUntil(db: Database): Promise<Date> {
  const nodes = new Set([db, ...(await allBuckets(db)).map((bucket) => bucket.db.node)])
  const times: number[] = []
  for (const node of nodes) {
    const { rows } = await sql<{ until: Date }>`
      select date_trunc('second', least(now, now - (clock_timestamp() - (
        select min(xact_start) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and backend_xid is not null and pid <> pg_backend_pid()))), 'UTC') as until
      from (select app_now() as now offset 0) clock`.execute(node.kysely)
    times.push(rows[0]!.until.getTime())
  }
  return new Date(Math.min(...times))
}
