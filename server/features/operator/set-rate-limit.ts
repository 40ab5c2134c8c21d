import type { Queryable } from '../../db/database.ts'
import { audit } from '../account/audit.ts'
import { operator } from '../account/operator.ts'
import { findAccount } from './find-account.ts'

/**
 * Sets an account's requests per minute: a number, 0 for no limit, null for its plan's limit. Takes effect everywhere
 * within a second.
 */
export async function setRateLimit(db: Queryable, named: string, perMinute: number | null): Promise<void> {
  const account = await findAccount(db, named)
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('accounts').set({ rate_limit_per_minute: perMinute }).where('id', '=', account.id).execute()
    await audit(tx, {
      accountId: account.id,
      actor: operator,
      action: 'limits.changed',
      target: account.publicId,
      detail: { rateLimitPerMinute: perMinute },
    })
  })
}
