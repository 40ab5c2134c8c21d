import type { Queryable } from '../../db/database.ts'
import { audit } from '../account/audit.ts'
import { operator } from '../account/operator.ts'
import { setSuspended } from '../account/set-suspended.ts'
import { findAccount } from './find-account.ts'

/** Suspends or resumes an account; every instance knows within a moment. Returns false if nothing changed. */
export async function suspendByOperator(
  db: Queryable,
  named: string,
  suspended: boolean,
  reason: string,
): Promise<boolean> {
  const account = await findAccount(db, named)
  return db.transaction().execute(async (tx) => {
    if (!(await setSuspended(tx, account.id, suspended))) return false
    await audit(tx, {
      accountId: account.id,
      actor: operator,
      action: suspended ? 'account.suspended' : 'account.resumed',
      target: account.publicId,
      detail: { reason },
    })
    return true
  })
}
