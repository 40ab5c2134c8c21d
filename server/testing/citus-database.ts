import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { withDatabase } from './databases.ts'

export interface CitusDatabase {
  url: string
  /** The workers' addresses, as the cluster knows them, with the connection string of this database on each. */
  workers: Map<string, string>
  drop: () => Promise<void>
}

/** An empty database on all nodes of the cluster whose coordinator is at `clusterUrl` (a superuser). */
export async function createCitusDatabase(clusterUrl: string): Promise<CitusDatabase> {
  const name = `finmeter_citus_${randomBytes(6).toString('hex')}`
  const nodes = await query(
    clusterUrl,
    `select nodename as host, nodeport as port, groupid = 0 as coordinator from pg_dist_node where noderole = 'primary' order by 1, 2`,
  )
  const coordinator = new URL(clusterUrl)
  const addressOf = ({ host, port, coordinator: isIt }: (typeof nodes)[number]): string => {
    if (isIt) return clusterUrl
    const url = new URL(coordinator)
    url.hostname = host
    url.port = String(port)
    return url.href
  }
  const places = nodes.map((node) => ({ node, url: addressOf(node) }))
  for (const { url } of places) {
    await query(url, `create database ${name}`)
    await query(withDatabase(url, name), 'create extension citus')
  }
  const url = withDatabase(clusterUrl, name)
  const own = nodes.find((node) => node.coordinator)
  if (own) await query(url, `select citus_set_coordinator_host('${own.host}', ${own.port})`)
  const workers = places.filter(({ node }) => !node.coordinator)
  for (const { node } of workers) await query(url, `select citus_add_node('${node.host}', ${node.port})`)
  return {
    url,
    workers: new Map(workers.map(({ node, url }) => [`${node.host}:${node.port}`, withDatabase(url, name)])),
    drop: async () => {
      for (const { url } of places) await query(url, `drop database if exists ${name} with (force)`)
    },
  }
}

/** An empty database without Citus, on the same server as the coordinator. */
export async function createPlainDatabase(clusterUrl: string): Promise<Pick<CitusDatabase, 'url' | 'drop'>> {
  const name = `finmeter_plain_${randomBytes(6).toString('hex')}`
  await query(clusterUrl, `create database ${name}`)
  return {
    url: withDatabase(clusterUrl, name),
    drop: async () => void (await query(clusterUrl, `drop database if exists ${name} with (force)`)),
  }
}

async function query(
  connectionString: string,
  text: string,
): Promise<{ host: string; port: number; coordinator: boolean }[]> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
