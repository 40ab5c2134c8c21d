import { sql } from 'kysely'
import { enterBucket } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'

/**
 * Turns unlimited credits on or off. Instances are notified when the transaction commits. Does nothing for an account
 * without a credit account.
 */
export async function setCreditState(tx: Queryable, accountId: number, state: { unlimited: boolean }): Promise<void> {
  await enterBucket(tx, accountId)
  await tx.updateTable('credit_accounts').set(state).where('account_id', '=', accountId).execute()
  await sql`select pg_notify('credits_changed', ${String(accountId)})`.execute(tx)
}
