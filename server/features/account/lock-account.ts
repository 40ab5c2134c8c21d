import type { Queryable } from '../../db/database.ts'

/** Locks the account until the transaction ends: only one transaction at a time changes its keys, team or subscriptions. */
export async function lockAccount(tx: Queryable, accountId: number): Promise<void> {
  await tx.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().executeTakeFirstOrThrow()
}
