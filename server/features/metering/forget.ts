import { sql } from 'kysely'
import { eachBucket } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

/**
 * Deletes what the commit no longer needs: idempotency keys after 24 hours, batch results after 6 hours (far longer
 * than any server needs them). Run hourly. Returns how many rows were deleted.
 */
export async function forgetOldCommits(db: Database): Promise<Forgotten> {
  const forgotten = await eachBucket(db, forgetInBucket)
  return forgotten.reduce((sum, one) => ({
    idempotencyKeys: sum.idempotencyKeys + one.idempotencyKeys,
    batches: sum.batches + one.batches,
  }))
}

interface Forgotten {
  idempotencyKeys: number
  batches: number
}

async function forgetInBucket(db: Database): Promise<Forgotten> {
  const keys = await db.kysely
    .deleteFrom('idempotency')
    .where('at', '<=', sql<Date>`(select app_now()) - interval '24 hours'`)
    .executeTakeFirst()
  const batches = await db.kysely
    .deleteFrom('meter_batches')
    .where('at', '<=', sql<Date>`(select app_now()) - interval '6 hours'`)
    .executeTakeFirst()
  return { idempotencyKeys: Number(keys.numDeletedRows), batches: Number(batches.numDeletedRows) }
}
