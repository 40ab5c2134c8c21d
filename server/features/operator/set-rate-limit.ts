import type { Queryable } from '../../db/database.ts'
import { audit } from '../account/audit.ts'
import { findAccount } from './find-account.ts'
import { operator } from './operator.ts'

/** Requests per minute of an account: a number, 0 for no limit, null for the limit of its plan. Holds within a second everywhere. */
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
