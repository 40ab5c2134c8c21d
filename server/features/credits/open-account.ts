import { enterBucket } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'

/** Creates an account's empty credit account. Repeating it changes nothing. */
export async function openCreditAccount(tx: Queryable, accountId: number): Promise<void> {
  await enterBucket(tx, accountId)
  await tx
    .insertInto('credit_accounts')
    .values({ account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
