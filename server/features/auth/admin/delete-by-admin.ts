import { sql } from 'kysely'
import { type AdminActor, noteSecurityEvent } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { findById } from '../users/find-user.ts'
import { noSuchUser } from './require-admin.ts'

/** Deletes a user. A soft deletion keeps an empty row with their id. Sessions and factors are always deleted. */
export async function deleteByAdmin({ db }: AuthDeps, by: AdminActor, id: string, softly: boolean): Promise<void> {
  await db.kysely.transaction().execute(async (tx) => {
    if (!(await findById(tx, id))) throw noSuchUser()
    await noteSecurityEvent(tx, id, 'auth.user_deleted_by_admin', id, { softly }, by)
    if (!softly) {
      await tx.deleteFrom('auth.users').where('id', '=', id).execute()
      return
    }
    for (const table of ['auth.identities', 'auth.sessions', 'auth.mfa_factors', 'auth.one_time_tokens'] as const)
      await tx.deleteFrom(table).where('user_id', '=', id).execute()
    await tx
      .updateTable('auth.users')
      .set({
        email: null,
        phone: null,
        new_email: null,
        new_phone: null,
        password_hash: null,
        user_metadata: '{}',
        app_metadata: '{}',
        deleted_at: sql`app_now()`,
      })
      .where('id', '=', id)
      .execute()
  })
}
