import type { Logger } from 'pino'
import { DatabaseClient } from './client.ts'
import { readHosts } from './hosts.ts'

/** Where the tables of each bucket are. Without Citus, all of them are where DATABASE_URL leads. */
export interface Placement {
  /** Connection string of the node that has a bucket's tables. It may be out of date for a moment: any node answers for any bucket, only slower. */
  urlOf: (bucket: number) => string
  /** Connection strings of the nodes other than DATABASE_URL's that have buckets. */
  nodes: () => string[]
  /** Called after a bucket has moved, or a node has got another address. */
  onChange: (handler: () => void) => void
  refresh: () => Promise<void>
  close: () => void
}

/** Connection strings by the name and port of a node in Citus' own list, such as `worker-1:5432`. */
export type NodeAddresses = ReadonlyMap<string, string>

const REFRESH_MS = 5_000

// From the catalog, not from the view citus_shards, which asks every node for sizes and fails when one is down.
const placementQuery = `select n.nspname as schema, d.nodename as name, d.nodeport as port
  from pg_dist_shard s join pg_class c on c.oid = s.logicalrelid and c.relname = 'credit_accounts'
    join pg_namespace n on n.oid = c.relnamespace
    join pg_dist_placement p using (shardid) join pg_dist_node d on d.groupid = p.groupid and d.noderole = 'primary'
  where n.nspname ~ '^m[0-9]+$'`

interface PlacementRow {
  schema: string
  name: string
  port: number
}

/** Everything in one database. */
export const onePlace = (databaseUrl: string): Placement => ({
  urlOf: () => databaseUrl,
  nodes: () => [],
  onChange: () => {},
  refresh: async () => {},
  close: () => {},
})

/**
 * Reads where the buckets are and, if the database has Citus, reads it again every few seconds. While the coordinator does
 * not respond, what was read last stays.
 */
export async function readPlacement(databaseUrl: string, addresses: NodeAddresses, log: Logger): Promise<Placement> {
  if (!(await hasCitus(databaseUrl))) return onePlace(databaseUrl)
  const handlers: (() => void)[] = []
  let urls = new Map<number, string>()
  const refresh = async (): Promise<void> => {
    const rows = await withClient(databaseUrl, (client) => client.query<PlacementRow>(placementQuery))
    const next = new Map(rows.map((row) => [Number(row.schema.slice(1)), addressOf(row, databaseUrl, addresses)]))
    const changed = next.size !== urls.size || [...next].some(([bucket, url]) => urls.get(bucket) !== url)
    urls = next
    if (changed) for (const handler of handlers) handler()
  }
  await refresh()
  const timer = setInterval(() => {
    refresh().catch((error: Error) => log.warn({ error: error.message }, 'could not read where the buckets are'))
  }, REFRESH_MS)
  timer.unref()
  return {
    urlOf: (bucket) => urls.get(bucket) ?? databaseUrl,
    nodes: () => [...new Set(urls.values())].filter((url) => url !== databaseUrl),
    onChange: (handler) => void handlers.push(handler),
    refresh,
    close: () => clearInterval(timer),
  }
}

/** Whether the database is the coordinator of a Citus cluster. */
export const hasCitus = async (databaseUrl: string): Promise<boolean> =>
  (await withClient(databaseUrl, (client) => client.query(`select where to_regclass('pg_dist_node') is not null`)))
    .length > 0

async function withClient<Row>(url: string, ask: (client: DatabaseClient) => Promise<{ rows: Row[] }>): Promise<Row[]> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'finmeter-placement',
    connectionTimeoutMillis: REFRESH_MS,
    query_timeout: REFRESH_MS,
  })
  try {
    await client.connect()
    return (await ask(client)).rows
  } finally {
    void client.end().catch(() => {})
  }
}

/** A node's address as this process sees it: that of DATABASE_NODES, or DATABASE_URL with the node's host and port. */
export function addressOf(
  { name, port }: Pick<PlacementRow, 'name' | 'port'>,
  databaseUrl: string,
  addresses: NodeAddresses,
): string {
  const given = addresses.get(`${name}:${port}`)
  if (given) return given
  const coordinator = new URL(readHosts(databaseUrl).urls[0]!)
  if (coordinator.hostname === name && Number(coordinator.port || 5432) === port) return databaseUrl
  coordinator.hostname = name
  coordinator.port = String(port)
  return coordinator.href
}

/** Reads `worker-1:5432=postgres://...,worker-2:5432=postgres://...`. Undefined: it has another form. */
export function readNodeAddresses(text: string): Map<string, string> | undefined {
  const addresses = new Map<string, string>()
  // A connection string may name several hosts, with commas between them.
  for (const part of text.split(/,(?=[^,=/]+:\d+=)/)) {
    const [, node, url] = /^\s*([^=/\s]+:\d+)=(postgres(?:ql)?:\/\/\S+)\s*$/.exec(part) ?? []
    if (!node || !url) return undefined
    addresses.set(node, url)
  }
  return addresses
}
