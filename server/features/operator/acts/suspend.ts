import type { Queryable } from '../../../db/database.ts'
import { audit } from '../../account/audit.ts'
import { operator } from '../../account/operator.ts'
import { setSuspended } from '../../account/set-suspended.ts'
import type { FoundAccount } from '../find-account.ts'

/** Suspends or resumes an account; every instance knows within a moment. Returns null if it was like that already. */
export async function suspend(
  tx: Queryable,
  account: Pick<FoundAccount, 'id' | 'publicId'>,
  suspended: boolean,
): Promise<{ before: { suspended: boolean }; after: { suspended: boolean } } | null> {
  if (!(await setSuspended(tx, account.id, suspended))) return null
  await audit(tx, {
    accountId: account.id,
    actor: operator,
    action: suspended ? 'account.suspended' : 'account.resumed',
    target: account.publicId,
  })
  return { before: { suspended: !suspended }, after: { suspended } }
}
