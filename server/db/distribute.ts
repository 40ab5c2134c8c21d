import { sql } from 'kysely'
import { bucketSchema } from './bucket-schema.ts'
import type { Database, Queryable } from './database.ts'

/** A node of the Citus cluster, and how many buckets it has. */
export interface CitusNode {
  /** As the nodes know it: `name:port`. */
  name: string
  /** Its number in Citus, which is part of the numbers that it gives to rows. */
  group: number
  buckets: number[]
}

const NODE = /^([^\s:]+):(\d{1,5})$/

/**
 * Hands a bucket to Citus, which puts it on the worker with the fewest and keeps it whole there. Calls of its accounts wait meanwhile: a moment
 * while it is empty, as long as a copy takes if it has rows. Returns false if that was done before.
 */
export async function distributeBucket(db: Database, id: number): Promise<boolean> {
  const schema = bucketSchema(id)
  await requireCitus(db.kysely)
  return db.kysely.transaction().execute(async (tx) => {
    const { rows } = await sql`select from pg_dist_schema where schemaid = ${schema}::regnamespace`.execute(tx)
    if (rows.length > 0) return false
    await sql`select citus_schema_distribute(${schema}::regnamespace)`.execute(tx)
    // Functions that name a row type were left behind, because their tables were not distributed when they were created.
    await sql`select create_distributed_function(p.oid::regprocedure) from pg_proc p
      where pronamespace = ${schema}::regnamespace and not exists (select from pg_dist_object o where o.objid = p.oid)`.execute(
      tx,
    )
    return true
  })
}

/**
 * Moves a bucket to another node while it is used: its rows are copied, and calls wait only at the end, for a moment. A repeat after an
 * interrupted move starts anew. Throws a sentence if there is no such node.
 */
export async function moveBucketToNode(db: Database, id: number, node: string): Promise<void> {
  const [, name, port] = NODE.exec(node) ?? []
  if (!name) throw new Error(`${node} is not a node: give its name and port, such as worker-2:5432.`)
  const nodes = await citusNodes(db.kysely)
  const target = nodes.find((candidate) => candidate.name === node)
  if (!target)
    throw new Error(`There is no node ${node} for buckets. There are: ${nodes.map((one) => one.name).join(', ')}.`)
  if (target.buckets.includes(id)) return
  if (!nodes.some(({ buckets }) => buckets.includes(id)))
    throw new Error(`Bucket ${bucketSchema(id)} is not distributed yet: run npm run admin -- buckets distribute.`)
  await sql`select citus_schema_move(${bucketSchema(id)}::regnamespace, ${name}, ${Number(port)}::int, 'force_logical')`.execute(
    db.kysely,
  )
}

/** Moves every bucket of a node to the others, one after the other. Returns which. A repeat goes on. */
export async function drainNode(
  db: Database,
  node: string,
  moved: (bucket: number, to: string) => void,
): Promise<void> {
  for (;;) {
    const nodes = await citusNodes(db.kysely)
    const from = nodes.find(({ name }) => name === node)
    if (!from)
      throw new Error(`There is no node ${node} for buckets. There are: ${nodes.map((one) => one.name).join(', ')}.`)
    const [bucket] = from.buckets
    if (bucket === undefined) return
    const [to] = nodes.filter((other) => other !== from).sort((a, b) => a.buckets.length - b.buckets.length)
    if (!to) throw new Error(`${node} is the only node for buckets: add another one first.`)
    await moveBucketToNode(db, bucket, to.name)
    moved(bucket, to.name)
  }
}

/** The active nodes that may hold buckets, with those that they hold, by name. */
export async function citusNodes(db: Queryable): Promise<CitusNode[]> {
  await requireCitus(db)
  const { rows } = await sql<CitusNode>`
    select d.nodename || ':' || d.nodeport as name, d.groupid as "group", coalesce(array_agg(substr(n.nspname, 2)::int order by n.nspname) filter (where n.nspname is not null), '{}') as buckets
    from pg_dist_node d
      left join pg_dist_placement p on p.groupid = d.groupid
        and exists (select from pg_dist_shard s join pg_class c on c.oid = s.logicalrelid where s.shardid = p.shardid and c.relname = 'credit_accounts')
      left join pg_dist_shard s using (shardid) left join pg_class c on c.oid = s.logicalrelid
      left join pg_namespace n on n.oid = c.relnamespace and n.nspname ~ '^m[0-9]+$'
    where d.noderole = 'primary' and d.isactive and d.shouldhaveshards
    group by 1, 2 order by 1`.execute(db)
  return rows
}

async function requireCitus(db: Queryable): Promise<void> {
  const { rows } = await sql`select where to_regclass('pg_dist_node') is not null`.execute(db)
  if (rows.length === 0)
    throw new Error('This database is not the coordinator of a Citus cluster, so its buckets stay where they are.')
}
