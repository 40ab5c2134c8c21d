import { sql } from 'kysely'
import { eachBucket } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

const HOURS_KEPT_DAYS = 100
/** The page asks for the last 24 hours. */
const HOURLY_DURATIONS_KEPT_DAYS = 3
const REPORTS_KEPT_DAYS = 400

/**
 * Deletes hourly sums after 100 whole UTC days (daily ones are kept forever and match them), hourly histograms after 3
 * and client reports after 400. Billing looks back 35 days. Run daily.
 */
export async function compactUsage(db: Database): Promise<Compacted> {
  const compacted = await eachBucket(db, compactBucket)
  return compacted.reduce((sum, one) => ({
    deletedHours: sum.deletedHours + one.deletedHours,
    deletedReports: sum.deletedReports + one.deletedReports,
  }))
}

interface Compacted {
  deletedHours: number
  deletedReports: number
}

async function compactBucket(db: Database): Promise<Compacted> {
  const hours = await db.kysely
    .deleteFrom('usage_hourly')
    .where(
      'hour',
      '<',
      sql<Date>`date_trunc('day', (select app_now()), 'UTC') - ${HOURS_KEPT_DAYS}::int * interval '24 hours'`,
    )
    .executeTakeFirstOrThrow()
  await db.kysely
    .deleteFrom('usage_latency')
    .where('hourly', '=', true)
    .where(
      'since',
      '<',
      sql<Date>`date_trunc('day', (select app_now()), 'UTC') - ${HOURLY_DURATIONS_KEPT_DAYS}::int * interval '24 hours'`,
    )
    .execute()
  const reports = await db.kysely
    .deleteFrom('usage_reports')
    .where('at', '<', sql<Date>`(select app_now()) - ${REPORTS_KEPT_DAYS}::int * interval '1 day'`)
    .executeTakeFirstOrThrow()
  return { deletedHours: Number(hours.numDeletedRows), deletedReports: Number(reports.numDeletedRows) }
}
