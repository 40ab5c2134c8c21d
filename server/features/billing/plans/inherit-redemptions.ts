import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/**
 * Carries a person's earlier redemptions (free plan, trial) over to a new account. Otherwise giving workspaces away
 * would yield unlimited free credits.
 */
export async function inheritRedemptions(tx: Queryable, fromAccountId: number, toAccountId: number): Promise<void> {
  await sql`insert into plan_redemptions (account_id, kind, source_id)
    select ${toAccountId}, kind, 'account:' || account_id from plan_redemptions where account_id = ${fromAccountId}`.execute(
    tx,
  )
}
