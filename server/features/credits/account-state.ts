import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/**
 * Switches unlimited credits. Instances hear of it when the transaction commits. An account without credit account is
 * left alone.
 */
export async function setCreditState(tx: Queryable, accountId: number, state: { unlimited: boolean }): Promise<void> {
  await tx.updateTable('credit_accounts').set(state).where('account_id', '=', accountId).execute()
  await sql`select pg_notify('credits_changed', ${String(accountId)})`.execute(tx)
}
