import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/**
 * Suspends an account or lifts that: its keys are refused with account_suspended from the commit of this transaction on.
 * The account row says so to people, the credit account to the meter; nothing else writes either. False: it was so already.
 */
export async function setSuspended(tx: Queryable, accountId: number, suspended: boolean): Promise<boolean> {
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
