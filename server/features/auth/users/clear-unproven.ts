import type { Queryable } from '../../../db/database.ts'
import { noteSecurityEvent } from '../audit.ts'
import { clearTokens } from '../codes/one-time-tokens.ts'

/** Removes everything that was set before the address was confirmed, so that its owner does not inherit it. */
export async function clearUnproven(tx: Queryable, userId: string): Promise<void> {
  await tx.deleteFrom('auth.identities').where('user_id', '=', userId).execute()
  await tx.deleteFrom('auth.sessions').where('user_id', '=', userId).execute()
  await clearTokens(tx, userId)
  await tx.deleteFrom('auth.mfa_factors').where('user_id', '=', userId).execute()
  await tx
    .updateTable('auth.users')
    .set({
      password_hash: null,
      phone: null,
      phone_confirmed_at: null,
      new_email: null,
      new_phone: null,
      user_metadata: '{}',
      app_metadata: '{}',
    })
    .where('id', '=', userId)
    .execute()
  await noteSecurityEvent(tx, userId, 'auth.unproven_cleared', userId)
}
