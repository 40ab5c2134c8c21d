import type { Database } from '../database.ts'

const ours = `n.nspname = any ($1) and c.relname !~ '^kysely_'
  and obj_description(c.oid, 'pg_class') is distinct from 'for servers of the release before buckets'`
const statements = [
  // Columns in order, renumbered because dropped columns leave gaps.
  `select format('column %s.%s %s: %s %s', c.oid::regclass, a.attname, row_number() over (partition by c.oid order by a.attnum),
     format_type(a.atttypid, a.atttypmod), concat_ws(' ', case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid),
       nullif(a.attidentity, ''), nullif(a.attgenerated, ''), col_description(c.oid, a.attnum)))
   from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
   left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where ${ours} and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped`,
  `select format('relation %s %s %s %s %s', c.oid::regclass, c.relkind, c.relpersistence, c.reloptions, pg_get_expr(c.relpartbound, c.oid))
   from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${ours}`,
  `select format('index %s', pg_get_indexdef(i.indexrelid)) from pg_index i join pg_class c on c.oid = i.indrelid
   join pg_namespace n on n.oid = c.relnamespace where ${ours}`,
  // Since PostgreSQL 18 "not null" also has rows here; the column lines above already include it.
  `select format('constraint %s %s %s', c.oid::regclass, o.conname, pg_get_constraintdef(o.oid)) from pg_constraint o
   join pg_class c on c.oid = o.conrelid join pg_namespace n on n.oid = c.relnamespace where ${ours} and o.contype <> 'n'`,
  `select format('trigger %s', pg_get_triggerdef(t.oid)) from pg_trigger t join pg_class c on c.oid = t.tgrelid
   join pg_namespace n on n.oid = c.relnamespace where ${ours} and not t.tgisinternal`,
  `select format('function %s', pg_get_functiondef(p.oid)) from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = any ($1)
   and obj_description(p.oid, 'pg_proc') is distinct from 'for servers of the release before buckets'`,
  `select format('rule %s %s', c.oid::regclass, pg_get_ruledef(r.oid)) from pg_rewrite r join pg_class c on c.oid = r.ev_class
   join pg_namespace n on n.oid = c.relnamespace where ${ours} and r.rulename <> '_RETURN'`,
  `select format('view %s %s', c.oid::regclass, pg_get_viewdef(c.oid)) from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where ${ours} and c.relkind = 'v'`,
]

const all = ['public', 'auth', 'metering', 'm00']

/** The schemas as sorted lines, one per item. Daily partitions count as one. */
export async function describeSchema({ pool }: Database, schemas = all): Promise<string[]> {
  const lines = new Set<string>()
  for (const text of statements)
    for (const [line] of (await pool.query<[string]>({ text, values: [schemas], rowMode: 'array' })).rows)
      lines.add(line.replace(/usage_events_\d{8}/g, 'usage_events_DAY').replace(/FROM \('2.*$/, ''))
  return [...lines].sort()
}

/** The number of rows of each table and a hash of their contents. */
export async function hashRows({ pool }: Database): Promise<Record<string, string>> {
  const tables = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${ours} and c.relkind = 'r' and c.relname not in ('applied_functions', 'schema_release', 'buckets', 'bucket_migrations') order by 1`,
    [all],
  )
  const hashes: Record<string, string> = {}
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ hash: string }>(
      `select count(*) || ' ' || md5(coalesce(string_agg(t::text, E'\\n' order by t::text), '')) as hash from ${name} t`,
    )
    hashes[name] = rows[0]!.hash
  }
  return hashes
}
