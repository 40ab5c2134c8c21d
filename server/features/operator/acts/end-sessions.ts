import type { Queryable } from '../../../db/database.ts'
import { endAllSessions } from '../../auth/sessions/end-all.ts'
import type { FoundAccount } from '../find-account.ts'

/** Signs out every member of the account on every device. Their keys and connected programs keep working. */
export async function endSessions(
  tx: Queryable,
  { id }: Pick<FoundAccount, 'id'>,
): Promise<{ before: { sessions: number }; after: { sessions: number } }> {
  const members = await tx.selectFrom('account_members').select('user_id').where('account_id', '=', id).execute()
  let ended = 0
  for (const { user_id } of members) ended += await endAllSessions(tx, user_id, 'system:operator')
  return { before: { sessions: ended }, after: { sessions: 0 } }
}
