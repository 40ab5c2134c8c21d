import type { Queryable } from '../../db/database.ts'

/** Makes the caller's transaction the only one that changes what belongs to the account (keys, subscriptions) until it ends. */
export async function lockAccount(tx: Queryable, accountId: number): Promise<void> {
  await tx.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().executeTakeFirstOrThrow()
}
