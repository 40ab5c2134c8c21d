import type { Database } from '../../../db/database.ts'

/** Evaluates `value` for sessions of this database, on every one of its servers, and counts them. */
export async function countSessions(db: Database, value: string, where: string): Promise<number> {
  const count = `select count(${value})::int as n from pg_stat_activity where datname = current_database() and ${where}`
  const everywhere = `select sum(result::int)::int as n from run_command_on_all_nodes($$${count}$$)`
  return (await db.pool.query(process.env.CITUS_TESTS ? everywhere : count)).rows[0].n
}

/** How many commits are waiting for a lock. On Citus, a session on a worker may wait for one on the coordinator. */
export const waitingCommits = (db: Database): Promise<number> => countSessions(db, 'pid', "wait_event_type = 'Lock'")
