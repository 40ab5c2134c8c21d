import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/**
 * Takes back up to `amount` credits of what remains of a grant; answers how many. What was spent stays spent.
 * Every instance hears of it when the transaction commits.
 */
export async function voidCredits(tx: Queryable, grantId: number, amount: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`select credit_void(${grantId}, ${amount}) as taken`.execute(tx)
  return rows[0]?.taken ?? 0
}
