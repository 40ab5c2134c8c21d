import { sql } from 'kysely'
import { bucketSchema } from '../db/bucket-schema.ts'
import { allBucketIds } from '../db/buckets.ts'
import type { Database } from '../db/database.ts'

/** What tests see of an installation with several buckets: the views over all of them. */
export const TEST_SEARCH_PATH = 'metering, public'

/** The product's functions that tests call, with the expression of the account whose bucket is meant. */
const byAccount: Record<string, string> = {
  credit_settle: '$1',
  credit_grant: '$1',
  credit_hold: '$2',
}
/** Those that take a grant, whose number tells its bucket. */
const byGrant = ['credit_void', 'credit_shorten']
const NUMBERS_OF_BUCKET = 1_000_000

/**
 * For tests with several buckets: lets them write through the views over all buckets, into the bucket of the row's account, and call
 * functions of the account's bucket. The product has none of this.
 */
export async function addBucketAids(db: Database): Promise<void> {
  const buckets = await allBucketIds(db.kysely)
  await sql.raw(writeThrough).execute(db.kysely)
  for (const [name, account] of Object.entries(byAccount)) await routeFunction(db, name, bucketOf(account))
  for (const name of byGrant)
    await routeFunction(db, name, `'m' || lpad((($1 - 1) / ${NUMBERS_OF_BUCKET})::text, 2, '0')`)
  await sql
    .raw(`create function metering.meter_void(p_batch uuid) returns void language plpgsql as $$ declare s text; begin
      foreach s in array array[${buckets.map((id) => `'${bucketSchema(id)}'`)}] loop
        execute format('select %I.meter_void($1) from %I.meter_batches where id = $1', s, s) using p_batch;
      end loop;
    end $$`)
    .execute(db.kysely)
  // Numbers that tell the buckets apart, as those of several nodes would.
  for (const bucket of buckets)
    for (const table of ['credit_grants', 'credit_ledger', 'usage_reports'])
      await sql
        .raw(
          `alter table ${bucketSchema(bucket)}.${table} alter column id restart with ${bucket * NUMBERS_OF_BUCKET + 1}`,
        )
        .execute(db.kysely)
}

const bucketOf = (account: string) =>
  `'m' || lpad(coalesce((select bucket from public.accounts where id = ${account}), 0)::text, 2, '0')`

async function routeFunction(db: Database, name: string, schema: string): Promise<void> {
  await sql
    .raw(`do $do$ declare f record; begin
      select pg_get_function_arguments(oid) as arguments, pg_get_function_result(oid) as result, prorettype = 'record'::regtype as out_columns,
        (select string_agg('$' || n, ', ') from generate_series(1, pronargs) n) as given into f from pg_proc where oid = 'm00.${name}'::regproc;
      execute format('create function metering.${name}(%s) %s language plpgsql as %L', f.arguments,
        case when f.out_columns then '' else 'returns ' || f.result end,
        format('declare s text := ${schema.replaceAll("'", "''")}; %s begin execute format(%L, s) into %s using %s; %s end',
          case when f.out_columns then '' else 'r ' || case f.result when 'void' then 'text' else f.result end || ';' end,
          'select * from %I.${name}(' || f.given || ')',
          case when f.out_columns then 'outcome, balance' else 'r' end, f.given,
          case when f.out_columns or f.result = 'void' then '' else 'return r;' end));
    end $do$`)
    .execute(db.kysely)
}

const writeThrough = `
create function metering.write_through() returns trigger language plpgsql as $$
declare
  s text := ${bucketOf("(case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> 'account_id')::bigint")};
  v_columns text;
begin
  if tg_op in ('UPDATE', 'DELETE') then
    if tg_op = 'UPDATE' then
      select string_agg(format('%I = ($2::%I.%I).%I', key, s, tg_table_name, key), ', ') into v_columns
      from jsonb_each(to_jsonb(new)) where value is distinct from to_jsonb(old) -> key;
      if v_columns is null then return new; end if;
      execute format('update %I.%I t set %s where t.account_id = ($1::%I.%I).account_id and t.* is not distinct from $1::%I.%I',
        s, tg_table_name, v_columns, s, tg_table_name, s, tg_table_name) using old::text, new::text;
      return new;
    end if;
    execute format('delete from %I.%I t where t.account_id = ($1::%I.%I).account_id and t.* is not distinct from $1::%I.%I',
      s, tg_table_name, s, tg_table_name, s, tg_table_name) using old::text;
    return old;
  end if;
  select string_agg(quote_ident(key), ', ') into v_columns from jsonb_each(to_jsonb(new)) where value <> 'null';
  execute format('insert into %I.%I (%s) overriding system value select %s from (select ($1::%I.%I).*) given',
    s, tg_table_name, v_columns, v_columns, s, tg_table_name) using new::text;
  return new;
end $$;
do $$ declare v text; begin
  for v in select relname from pg_class where relnamespace = 'metering'::regnamespace and relkind = 'v'
    and relname in (select relname from pg_class where relnamespace = 'm00'::regnamespace and relkind in ('r', 'p'))
  loop
    execute format('create trigger write_through instead of insert or update or delete on metering.%I for each row execute function metering.write_through()', v);
  end loop;
end $$`
