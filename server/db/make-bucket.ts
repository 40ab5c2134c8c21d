import { sql } from 'kysely'
import packageJson from '../../package.json' with { type: 'json' }
import { bringUpBucket } from './bring-up-bucket.ts'
import { bucketSchema } from './bucket-schema.ts'
import type { Database } from './database.ts'
import { limitWaits, patiently, readSchema, requireMigrated } from './migrate.ts'
import { withSchemaLock } from './schema-lock.ts'
import { releaseNumber } from './schema-release.ts'
import { endEarlierNames } from './take-into-bucket.ts'

/**
 * Makes bucket `id` on a migrated database: its schema with every table and function, and its place in the views over all
 * buckets. Does nothing if it is there. Servers of the release before buckets no longer work afterward: they know one
 * bucket only. Throws a sentence if the database is not one of this release.
 */
export async function makeBucket(db: Database, id: number): Promise<void> {
  if (!Number.isInteger(id) || id < 0 || id > 9_999)
    throw new RangeError(`A bucket has a number from 0 to 9999, not ${id}.`)
  await withSchemaLock(db, 'migrate', async () => {
    await requireMigrated(db)
    const { buckets } = await readSchema()
    await requireOwn(
      db,
      buckets.migrations.map(({ name }) => name),
    )
    await patiently(() =>
      db.kysely.transaction().execute(async (tx) => {
        await limitWaits(tx)
        await bringUpBucket(tx, id, buckets)
        if (id === 0 || !(await endEarlierNames(tx))) return
        await sql`update public.schema_release set serves_from = greatest(serves_from, ${releaseNumber(packageJson.version)})`.execute(
          tx,
        )
      }),
    )
  })
}

/** A bucket of this release would lack what a newer one has put into the others. */
async function requireOwn(db: Database, known: string[]): Promise<void> {
  const { rows } = await sql<{ name: string; bucket: number }>`
    select name, bucket from bucket_migrations where name <> all (${known}::text[]) limit 1`.execute(db.kysely)
  const [later] = rows
  if (later)
    throw new Error(
      `A newer release has migrated this database (bucket ${bucketSchema(later.bucket)} has ${later.name}): make buckets with that release.`,
    )
}
