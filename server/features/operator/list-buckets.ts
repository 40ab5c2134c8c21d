import { sql } from 'kysely'
import { bucketSchema } from '../../db/bucket-schema.ts'
import { enterBucketNumber } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

export interface BucketLine {
  bucket: number
  schema: string
  accounts: number
  /** Calls of the last 24 whole hours and the current one, answered or failed. */
  callsADay: number
  bytes: number
}

export interface OpenMove {
  publicId: string
  from: number
  to: number
  startedAt: Date
}

/** The buckets with their load, in order, and the moves that were begun and have not ended. */
export async function listBuckets(db: Database): Promise<{ buckets: BucketLine[]; moves: OpenMove[] }> {
  return db.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const { rows } = await sql<{ bucket: number; accounts: number }>`
        select b.id as bucket, count(a.id)::bigint as accounts from buckets b left join accounts a on a.bucket = b.id
        group by b.id order by b.id`.execute(tx)
      const buckets: BucketLine[] = []
      for (const { bucket, accounts } of rows) {
        await enterBucketNumber(tx, bucket)
        const load = await sql<{ callsADay: number; bytes: number }>`
          select (select coalesce(sum(success + failed), 0)::bigint from usage_by_hour where hour >= date_trunc('hour', app_now(), 'UTC') - interval '24 hours') as "callsADay",
            (select coalesce(sum(pg_table_size(oid) + pg_indexes_size(oid)), 0)::bigint from pg_class
              where relnamespace = ${bucketSchema(bucket)}::regnamespace and relkind = 'r') as bytes`.execute(tx)
        buckets.push({ bucket, schema: bucketSchema(bucket), accounts, ...load.rows[0]! })
      }
      const { rows: moves } = await sql<OpenMove>`
        select a.public_id as "publicId", m.from_bucket as "from", m.to_bucket as "to", m.started_at as "startedAt"
        from bucket_moves m join accounts a on a.id = m.account_id where m.done_at is null order by m.id`.execute(tx)
      return { buckets, moves }
    })
}
