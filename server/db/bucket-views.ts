import { sql } from 'kysely'
import { bucketSchema } from './bucket-schema.ts'
import type { Queryable } from './database.ts'

/** The schema with one view for each table and view of a bucket, over all buckets. */
const UNION_SCHEMA = 'metering'

/**
 * Makes the views over all buckets anew: for operators, psql and tests, never for the path of a call. While buckets differ,
 * because a migration has not reached all of them, a view has the columns that all of them have.
 */
export async function makeUnionViews(tx: Queryable): Promise<void> {
  const { rows: buckets } = await sql<{ id: number }>`
    select distinct bucket as id from public.bucket_migrations order by 1`.execute(tx)
  const schemas = buckets.map(({ id }) => bucketSchema(id))
  const { rows: shapes } = await sql<{ name: string; columns: string[] }>`
    with columns as (
      select c.relname, a.attname, min(a.attnum) as place from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = any (${schemas}::text[]::regnamespace[]) and c.relkind in ('r', 'p', 'v') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped
      group by 1, 2 having count(*) = ${schemas.length}
    )
    select relname::text as name, array_agg(attname::text order by place) as columns from columns group by 1 order by 1`.execute(
    tx,
  )
  await sql`create schema if not exists ${sql.id(UNION_SCHEMA)}`.execute(tx)
  const { rows: views } = await sql<{ name: string }>`
    select relname::text as name from pg_class where relnamespace = ${UNION_SCHEMA}::regnamespace and relkind = 'v'`.execute(
    tx,
  )
  for (const { name } of views) await sql`drop view ${sql.id(UNION_SCHEMA, name)}`.execute(tx)
  for (const { name, columns } of shapes) {
    const list = sql.join(columns.map((column) => sql.id(column)))
    const branches = schemas.map((schema) => sql`select ${list} from ${sql.id(schema, name)}`)
    await sql`create view ${sql.id(UNION_SCHEMA, name)} as ${sql.join(branches, sql` union all `)}`.execute(tx)
  }
}
