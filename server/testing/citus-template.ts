import { type Database, openDatabase } from '../db/database.ts'
import { distributeBucket } from '../db/distribute.ts'
import { migrate } from '../db/migrate.ts'
import { type CitusDatabase, createCitusDatabase } from './citus-database.ts'
import { adminQuery } from './databases.ts'

export interface CitusTemplate extends Pick<CitusDatabase, 'drop'> {
  name: string
  /** Connection strings of all nodes, the coordinator's first: a copy must be made on each. */
  nodes: string[]
}

/** A migrated database on every node of a cluster, its buckets distributed, that can be copied on each node like any template. */
export async function createCitusTemplate(
  clusterUrl: string,
  buckets: number,
  prepare: (db: Database) => Promise<void>,
): Promise<CitusTemplate> {
  const citus = await createCitusDatabase(clusterUrl)
  const name = new URL(citus.url).pathname.slice(1)
  const db = openDatabase(citus.url, 4, () => {})
  await migrate(db, { buckets })
  for (let bucket = 0; bucket < buckets; bucket++) await distributeBucket(db, bucket)
  await prepare(db)
  await db.close()
  const nodes = [clusterUrl, ...citus.workers.values()]
  for (const node of nodes) {
    await adminQuery(node, `alter database ${name} with allow_connections false`)
    // Citus keeps a process of its own connected to each of its databases, and a database in use cannot be copied.
    await adminQuery(node, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  }
  return { name, nodes, drop: citus.drop }
}
