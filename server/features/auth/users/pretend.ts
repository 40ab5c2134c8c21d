import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/**
 * Does `work` in the caller's transaction and undoes it: the same work and result as for another address, without the
 * account, code or mail. Response times then do not reveal who has an account.
 */
export async function pretend<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  await sql`savepoint pretend`.execute(tx)
  const result = await work()
  await sql`rollback to savepoint pretend`.execute(tx)
  return result
}
