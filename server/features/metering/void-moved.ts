import { sql } from 'kysely'
import { bucketSchema } from '../../db/bucket-schema.ts'
import { enterBucketNumber } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

/** Longer than the results of batches are kept: an older batch cannot be taken back. */
const KEPT = sql`interval '7 hours'`

/**
 * Voids a batch, already voided in its own bucket, where accounts have moved lately: their charges moved with them. Repeating it
 * changes nothing.
 */
export async function voidWhereMoved(db: Database, bucket: number, batch: string): Promise<void> {
  const { rows } = await sql<{ to_bucket: number }>`
    select distinct to_bucket from bucket_moves where to_bucket <> ${bucket} and switched_at > clock_timestamp() - ${KEPT}`.execute(
    db.kysely,
  )
  for (const { to_bucket: to } of rows)
    await db.kysely.transaction().execute(async (tx) => {
      await enterBucketNumber(tx, to)
      // Where the batch is unknown, a void would only forbid it.
      await sql`
        insert into meter_batches (id, at, balances)
        select id, at, '{}' from ${sql.id(bucketSchema(bucket), 'meter_batches')} where id = ${batch}
        on conflict do nothing`.execute(tx)
      await sql`select meter_void(${batch})`.execute(tx)
    })
}
