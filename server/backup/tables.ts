import type { ClientBase } from 'pg'

export interface Table {
  schema: string
  name: string
  /** Without generated columns. */
  columns: string[]
}

/** The schemas of the product, the job queue and the payment sandbox, besides those of the buckets. */
const SCHEMAS = ['public', 'auth', 'graphile_worker', 'stripe_sandbox']
/** The schema of a bucket, as an expression of PostgreSQL. */
export const BUCKET_SCHEMA = '^m[0-9]{2,}$'
/** Tables that record which migrations were applied. */
const OF_MIGRATIONS = [
  'public.kysely_migration',
  'public.kysely_migration_lock',
  'public.buckets',
  'public.bucket_migrations',
  'public.applied_functions',
  'public.schema_release',
  'graphile_worker.migrations',
]

/** A quoted table name. */
export const quoted = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string => `${quote(schema)}.${quote(name)}`
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Every table with product data, each after those that it refers to. A partitioned table counts as one. */
export async function findTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table & { id: string; refers: string[] }>(
    `select c.oid::text as id, n.nspname as schema, c.relname as name,
       array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         and a.attgenerated = '' order by a.attnum) as columns,
       array(select o.confrelid::text from pg_constraint o where o.conrelid = c.oid and o.contype = 'f' and o.confrelid <> c.oid) as refers
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where (n.nspname = any($1) or n.nspname ~ '${BUCKET_SCHEMA}') and c.relkind in ('r', 'p') and not c.relispartition and n.nspname || '.' || c.relname <> all($2)
     order by 2, 3`,
    [SCHEMAS, OF_MIGRATIONS],
  )
  const sorted: typeof rows = []
  const add = (table: (typeof rows)[number], path: string[]): void => {
    if (sorted.includes(table)) return
    if (path.includes(table.id)) throw new Error(`${table.name} and a table that it refers to refer to each other.`)
    for (const other of rows) if (table.refers.includes(other.id)) add(other, [...path, table.id])
    sorted.push(table)
  }
  for (const table of rows) add(table, [])
  return sorted.map(({ schema, name, columns }) => ({ schema, name, columns }))
}

export interface Sequence {
  /** As SQL. */
  table: string
  column: string
  /** The last number that it returned. */
  last: string
}

/** The sequences of the tables' columns, except those that were never used. */
export async function findSequences(client: ClientBase, tables: readonly Table[]): Promise<Sequence[]> {
  const columns = tables.flatMap((table) => table.columns.map((column) => ({ table: quoted(table), column })))
  const { rows } = await client.query<Sequence>(
    `select c.table, c.column, s.last_value::text as last
     from unnest($1::text[], $2::text[]) c("table", "column")
     join pg_sequences s on format('%I.%I', s.schemaname, s.sequencename)::regclass = pg_get_serial_sequence(c.table, c.column)::regclass
     where s.last_value is not null`,
    [columns.map(({ table }) => table), columns.map(({ column }) => column)],
  )
  return rows
}

/** Makes the output of COPY independent of the settings of server and role. */
export const copySettings = `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
  set local extra_float_digits = 3; set local bytea_output = 'hex'; set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0`
