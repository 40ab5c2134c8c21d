import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/**
 * Takes from a new account what the person has had already through another one: the free plan and the trial. Else
 * credits could be had without end by giving workspaces away.
 */
export async function inheritRedemptions(tx: Queryable, fromAccountId: number, toAccountId: number): Promise<void> {
  await sql`insert into plan_redemptions (account_id, kind, source_id)
    select ${toAccountId}, kind, 'account:' || account_id from plan_redemptions where account_id = ${fromAccountId}`.execute(
    tx,
  )
}
