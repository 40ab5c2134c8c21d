import { sql } from 'kysely'
import type { Database } from './database.ts'

export interface Replication {
  standbys: number
  /** A sentence if a failover may lose charges whose responses were sent. */
  risk: string | null
}

/** Which standbys follow the database, and what a failover to them may lose. Needs no privilege. */
export async function readReplication({ kysely }: Database): Promise<Replication> {
  // Without privileges, only the number of rows is visible. A base backup in progress is no standby, nor is a
  // subscriber, which reads through a logical slot.
  const { rows } = await sql<{ standbys: number; waits: boolean }>`
    select count(*)::int as standbys,
      current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') <> 'local' as waits
    from pg_stat_replication
    where state is distinct from 'backup'
      and pid not in (select active_pid from pg_replication_slots where slot_type = 'logical' and active_pid is not null)`.execute(
    kysely,
  )
  const { standbys, waits } = rows[0]!
  if (standbys === 0 || waits) return { standbys, risk: null }
  const found = standbys === 1 ? 'one standby, which is not' : `${standbys} standbys, none of them`
  return {
    standbys,
    risk: `the database has ${found} synchronous: a failover loses the latest charges, though their responses were sent. Set synchronous_standby_names in PostgreSQL, or accept the loss (see Replication in docs/operations.md)`,
  }
}
