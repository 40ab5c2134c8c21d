import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/** SQL: of `agent_payments p`, what became of the money has not been known for longer than the job takes that finds out. */
export const undecided = `p.state in ('settling', 'unknown') and p.settling_at < app_now() - interval '10 minutes'`

/** How many payments are undecided. */
export async function countUndecided(db: Queryable): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from agent_payments p where ${sql.raw(undecided)}`.execute(db)
  return rows[0]!.n
}
