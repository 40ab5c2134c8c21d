import { sql } from 'kysely'
import { type BucketParts, bringUpBucket, setSearchPath } from './bring-up-bucket.ts'
import { bucketSchema } from './bucket-schema.ts'
import { makeUnionViews } from './bucket-views.ts'
import type { Queryable } from './database.ts'

const FIRST = 0
const schema = bucketSchema(FIRST)

const views = ['usage_recent', 'usage_by_hour', 'usage_by_day', 'usage_durations']

/** The tables and views that earlier releases had in `public`; partitions, indexes and identities follow their tables. */
const moved = [
  'credit_accounts',
  'credit_grants',
  'credit_ledger',
  'credit_holds',
  'meter_keys',
  'meter_batches',
  'usage_alerts_due',
  'usage_events',
  'usage_pending',
  'idempotency',
  'usage_open',
  'usage_hourly',
  'usage_daily',
  'usage_latency',
  'usage_reports',
  ...views,
]

/** The migrations of a bucket that create what an earlier database has already. */
const had = ['0001_metering', '0002_usage']

/** Marks what exists only for servers of the release before buckets. */
const FOR_EARLIER = 'for servers of the release before buckets'

/** Whether the metering tables are still in `public`. */
export async function isBeforeBuckets(db: Queryable): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class where oid = to_regclass('public.credit_accounts') and relkind = 'r'`.execute(db)
  return rows.length > 0
}

/**
 * Moves the metering tables of an earlier database from `public` into bucket m00. Only the catalog changes, so it takes the
 * same short time for any number of rows. Servers of the release before go on: they find views and functions of the
 * same names in `public`. Does nothing on a new database. The caller opens the transaction.
 */
export async function takeIntoBucket(tx: Queryable, parts: BucketParts): Promise<void> {
  if (!(await isBeforeBuckets(tx))) return
  await sql`create schema ${sql.id(schema)}`.execute(tx)
  await sql.raw(moveTables).execute(tx)
  await sql`insert into buckets (id) values (${FIRST})`.execute(tx)
  await sql`insert into bucket_migrations (bucket, name) select ${FIRST}, unnest(${had}::text[])`.execute(tx)
  await bringUpBucket(tx, FIRST, parts)
  await makeUnionViews(tx)
  await sql`delete from applied_functions where file = any (${parts.functions.map(({ name }) => name)})`.execute(tx)
  await setSearchPath(tx, 'public')
  await sql.raw(keepNames).execute(tx)
}

/** Removes what servers of the release before buckets need. Returns whether there was any. */
export async function endEarlierNames(tx: Queryable): Promise<boolean> {
  const { rows } = await sql<{ statement: string }>`
    select format('drop function %s', p.oid::regprocedure) as statement from pg_proc p
    where p.pronamespace = 'public'::regnamespace and obj_description(p.oid, 'pg_proc') = ${FOR_EARLIER}
    union all
    select format('drop view %s', c.oid::regclass) from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' and obj_description(c.oid, 'pg_class') = ${FOR_EARLIER}`.execute(
    tx,
  )
  for (const { statement } of rows) await sql.raw(statement).execute(tx)
  return rows.length > 0
}

const list = moved.map((name) => `'${name}'`).join(', ')

/** Locked at once, in the order in which commits lock them: a migration that gives up has then done nothing. */
const moveTables = `lock table ${moved.filter((name) => !views.includes(name)).join(', ')} in access exclusive mode;
do $$ declare item record; begin
  drop trigger credit_ledger_append_only on credit_ledger;
  drop trigger credits_moved on credit_ledger;
  drop function credits_moved();
  drop function refuse_change();
  for item in select conrelid::regclass as of, conname as name from pg_constraint
    where contype = 'f' and conrelid = any (array(select name::regclass from unnest(array[${list}]) name))
      and not confrelid = any (array(select name::regclass from unnest(array[${list}]) name))
  loop execute format('alter table %s drop constraint %I', item.of, item.name); end loop;
  for item in select c.oid::regclass as of, case c.relkind when 'v' then 'view' else 'table' end as kind
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relkind in ('r', 'p', 'v') and (i.inhparent = 'public.usage_events'::regclass or c.oid = any (array(select name::regclass from unnest(array[${list}]) name)))
  loop execute format('alter %s %s set schema ${schema}', item.kind, item.of); end loop;
end $$`

/**
 * Simple views can be written through, with the defaults of their tables. The functions keep their numbers, so that prepared
 * statements go on. Release 0.4.0 is to drop both: docs/decisions/0092-buckets.md.
 */
const keepNames = `do $$ declare item record; begin
  for item in select relname as name from pg_class where relnamespace = '${schema}'::regnamespace and relname in (${list})
  loop
    execute format('create view public.%1$I as select * from ${schema}.%1$I', item.name);
    execute format('comment on view public.%I is ${"''"}${FOR_EARLIER}${"''"}', item.name);
  end loop;
  for item in select p.oid::regprocedure as of, p.proname as name, pg_get_function_arguments(p.oid) as arguments,
      pg_get_function_result(p.oid) as result, (select coalesce(string_agg('$' || n, ', '), '') from generate_series(1, p.pronargs) n) as given
    from pg_proc p join pg_proc b on b.proname = p.proname and b.proargtypes = p.proargtypes and b.pronamespace = '${schema}'::regnamespace
    where p.pronamespace = 'public'::regnamespace
  loop
    execute format('create or replace function public.%I(%s) returns %s language sql as %L', item.name, item.arguments, item.result,
      format('select * from ${schema}.%I(%s)', item.name, item.given));
    execute format('comment on function %s is ${"''"}${FOR_EARLIER}${"''"}', item.of);
  end loop;
  -- With other arguments than then: only functions that were replaced here called it.
  for item in select p.oid::regprocedure as of from pg_proc p
    where p.pronamespace = 'public'::regnamespace and obj_description(p.oid, 'pg_proc') is distinct from '${FOR_EARLIER}'
      and exists (select from pg_proc b where b.proname = p.proname and b.pronamespace = '${schema}'::regnamespace)
  loop execute format('drop function %s', item.of); end loop;
end $$`
