import { sql } from 'kysely'
import { enterBucket } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'

/**
 * Suspends or resumes an account: from the commit on, its keys are refused with account_suspended. The product reads the
 * account row, the meter the credit account; nothing else writes either. Returns false if nothing changed.
 */
export async function setSuspended(tx: Queryable, accountId: number, suspended: boolean): Promise<boolean> {
  await enterBucket(tx, accountId)
  const changed = await tx
    .updateTable('accounts')
    .set({ suspended_at: suspended ? sql`app_now()` : null })
    .where('id', '=', accountId)
    .where('suspended_at', suspended ? 'is' : 'is not', null)
    .executeTakeFirst()
  await tx.updateTable('credit_accounts').set({ blocked: suspended }).where('account_id', '=', accountId).execute()
  await sql`select pg_notify('credits_changed', ${String(accountId)})`.execute(tx)
  return changed.numUpdatedRows > 0n
}
