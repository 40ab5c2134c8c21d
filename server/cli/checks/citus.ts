import { DatabaseClient } from '../../db/client.ts'
import { citusNodes } from '../../db/distribute.ts'
import { addressOf, hasCitus, readNodeAddresses } from '../../db/placement.ts'
import type { Connection } from '../connect.ts'
import type { Report } from './report.ts'

const TIMEOUT_MS = 5_000

/**
 * On Citus: whether each node that may hold buckets can be reached from here, keeps what it commits, and gives numbers that fit.
 * Nothing without Citus.
 */
export async function checkCitus({ config, databaseUrl, db }: Connection, report: Report): Promise<void> {
  if (!(await hasCitus(databaseUrl))) return
  const addresses = readNodeAddresses(config.DATABASE_NODES ?? '') ?? new Map()
  const nodes = await citusNodes(db.kysely)
  for (const { name, group, buckets } of nodes) {
    const held = buckets.length === 1 ? '1 bucket' : `${buckets.length} buckets`
    // A node gives numbers from its group's share of 2^63, the group times 2^48, and JavaScript counts to 2^53.
    if (group > MOST_GROUP)
      report.wrong(
        `node ${name} has number ${group} in Citus, and numbers above ${MOST_GROUP} give ids that are too large: npm run admin -- buckets drain ${name}, then remove it from the cluster`,
      )
    const [host, port] = name.split(/:(?=\d+$)/)
    const url = addressOf({ name: host!, port: Number(port) }, databaseUrl, addresses)
    try {
      const lossy = await lossySettings(url)
      if (lossy.length === 0) report.ok(`node ${name} answers, ${held}`)
      else report.wrong(`node ${name}: ${lossy.join(' and ')} must be on, or charges can be lost in a power cut`)
    } catch (error) {
      report.wrong(
        `node ${name} cannot be reached (${(error as Error).message}), so its ${held} cannot be charged: start it, or set its address in DATABASE_NODES`,
      )
    }
  }
  const placed = new Set(nodes.flatMap(({ buckets }) => buckets))
  const { length } = (await db.kysely.selectFrom('buckets').select('id').execute()).filter(({ id }) => !placed.has(id))
  if (length > 0)
    report.note(
      `${length} of the buckets are on the coordinator: npm run admin -- buckets distribute hands them to the nodes`,
    )
}

const MOST_GROUP = 31

async function lossySettings(connectionString: string): Promise<string[]> {
  const client = new DatabaseClient({
    connectionString,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>(
      `select name from pg_settings where name in ('fsync', 'synchronous_commit') and setting not in ('on', 'remote_apply') order by name`,
    )
    return rows.map(({ name }) => name)
  } finally {
    void client.end().catch(() => {})
  }
}
