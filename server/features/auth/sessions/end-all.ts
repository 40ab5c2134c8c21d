import type { Queryable } from '../../../db/database.ts'
import { type AdminActor, noteSecurityEvent } from '../audit.ts'
import { clearFlows } from '../providers/flows.ts'

/** Ends all sessions of a person, and the sign-ins under way. Returns how many sessions there were. */
export async function endAllSessions(tx: Queryable, userId: string, by: AdminActor): Promise<number> {
  const ended = await tx.deleteFrom('auth.sessions').where('user_id', '=', userId).executeTakeFirst()
  await clearFlows(tx, userId)
  const count = Number(ended.numDeletedRows)
  if (count > 0) await noteSecurityEvent(tx, userId, 'auth.signed_out', userId, { scope: 'global' }, by)
  return count
}
