import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../db/database.ts'
import { type EmbeddedPostgres, startEmbedded } from '../db/embedded.ts'
import type { Programs } from '../db/embedded-binaries.ts'
import { migrate } from '../db/migrate.ts'

/** Two PostgreSQL servers, of which one follows the other. */
export interface Replicated {
  /** Names both servers, the standby first: whoever connects must look for the primary. */
  url: string
  /** Each server on its own. Both handles stay usable whatever happens to the servers. */
  primary: Node
  standby: Node
  close: () => Promise<void>
}

export interface Node {
  url: string
  db: Database
  /** kill -9 of all its processes. */
  kill: () => void
}

export const PASSWORD = 'replicated'
const FLAGS = ['fsync=on', 'shared_buffers=64MB', 'max_wal_size=256MB']

interface Options {
  synchronous: boolean
  /** What is done on the primary before there is a standby; migrations unless stated. */
  prepare?: (db: Database) => Promise<unknown>
  flags?: string[]
  programs?: Programs
}

/** A prepared primary, and a standby that it waits for with each commit if `synchronous`. Both keep `fsync` on. */
export async function startReplicated({
  synchronous,
  prepare = migrate,
  flags = [],
  programs,
}: Options): Promise<Replicated> {
  const start = (dataDir: string, more: string[]) =>
    startEmbedded(dataDir, PASSWORD, { flags: [...FLAGS, ...flags, ...more], ...(programs && { programs }) })
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-replicated-'))
  const [here, there] = [join(dir, 'a'), join(dir, 'b')]
  const first = await start(here, [])
  const seed = openDatabase(first.connectionString, 4, () => {})
  await prepare(seed)
  await seed.close()
  await first.stop()
  // A copy of a server that was stopped cleanly is a base backup.
  await cp(join(here, 'postgres'), join(there, 'postgres'), { recursive: true })
  await writeFile(join(there, 'postgres', 'standby.signal'), '')
  const names = synchronous ? ['synchronous_standby_names=follower'] : []
  const a = await start(here, names)
  const { port } = new URL(a.connectionString)
  const source = `host=127.0.0.1 port=${port} user=finmeter password=${PASSWORD} application_name=follower`
  const b = await start(there, [`primary_conninfo=${source}`])
  const primary = nodeOf(a)
  const standby = nodeOf(b)
  await attached(primary.db)
  const url = new URL(b.connectionString)
  return {
    url: `postgres://finmeter:${PASSWORD}@${url.host},127.0.0.1:${port}${url.pathname}?target_session_attrs=read-write`,
    primary,
    standby,
    async close() {
      await Promise.all([primary.db.close(), standby.db.close()])
      // The standby first: a primary that stops waits for it to receive everything.
      await b.stop()
      await a.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const nodeOf = ({ connectionString, kill }: EmbeddedPostgres): Node => ({
  url: connectionString,
  db: openDatabase(connectionString, 4, () => {}),
  kill,
})

async function attached({ pool }: Database): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(`select from pg_stat_replication where state = 'streaming'`)
    if (rowCount === 1) return
    await new Promise((done) => setTimeout(done, 50))
  }
}
