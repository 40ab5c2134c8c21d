import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/**
 * Removes up to `amount` of a grant's remaining credits and returns how many. Spent credits stay spent. All instances
 * are notified when the transaction commits.
 */
export async function voidCredits(tx: Queryable, grantId: number, amount: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`select credit_void(${grantId}, ${amount}) as taken`.execute(tx)
  return rows[0]?.taken ?? 0
}
