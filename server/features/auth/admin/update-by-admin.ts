import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { readEmail, readPhone } from '../address.ts'
import { type AdminActor, noteSecurityEvent } from '../audit.ts'
import { clearTokens } from '../codes/one-time-tokens.ts'
import { phoneExists } from '../codes/redeem-token.ts'
import { emailExists } from '../credentials/change-email.ts'
import type { AuthDeps } from '../deps.ts'
import { confirmAddress } from '../users/confirm-address.ts'
import { addOwnIdentity } from '../users/create-user.ts'
import { findByAddress, findById, lockAddress } from '../users/find-user.ts'
import { mergeMetadata } from '../users/metadata.ts'
import { readUser, type UserJson } from '../users/user-json.ts'
import type { AdminUser } from './admin-users.ts'
import { bannedUntil } from './ban.ts'
import { readPassword } from './create-by-admin.ts'
import { noSuchUser } from './require-admin.ts'

/** PUT /admin/users/{id}: changes the given fields at once, without an email. */
export async function updateByAdmin(deps: AuthDeps, by: AdminActor, id: string, given: AdminUser): Promise<UserJson> {
  const email = given.email ? readEmail(given.email) : undefined
  const phone = given.phone ? readPhone(given.phone) : undefined
  const passwordHash = await readPassword(deps, given)
  return deps.db.kysely.transaction().execute(async (tx) => {
    if (!(await findById(tx, id))) throw noSuchUser()
    if (email) await changeAddress(tx, by, id, 'email', email, given.email_confirm ?? false)
    else if (given.email_confirm) await confirmAddress(tx, id, 'email', by)
    if (phone) await changeAddress(tx, by, id, 'phone', phone, given.phone_confirm ?? false)
    else if (given.phone_confirm) await confirmAddress(tx, id, 'phone', by)
    if (passwordHash) await clearTokens(tx, id)
    await tx
      .updateTable('auth.users')
      .set({
        updated_at: sql`app_now()`,
        ...(passwordHash && { password_hash: passwordHash }),
        ...(given.role && { role: given.role }),
        ...(given.ban_duration && { banned_until: bannedUntil(given.ban_duration) }),
      })
      .where('id', '=', id)
      .execute()
    if (given.user_metadata) await mergeMetadata(tx, id, 'user_metadata', given.user_metadata)
    if (given.app_metadata) await mergeMetadata(tx, id, 'app_metadata', given.app_metadata)
    await noteSecurityEvent(tx, id, 'auth.user_changed_by_admin', id, { act: 'changed' }, by)
    return (await readUser(tx, id))!
  })
}

async function changeAddress(
  tx: Queryable,
  by: AdminActor,
  id: string,
  kind: 'email' | 'phone',
  address: string,
  confirm: boolean,
): Promise<void> {
  await lockAddress(tx, kind, address)
  const holder = await findByAddress(tx, kind, address)
  if (holder && holder.id !== id) throw kind === 'email' ? emailExists() : phoneExists()
  await tx
    .updateTable('auth.users')
    .set({ [kind]: address })
    .where('id', '=', id)
    .execute()
  await addOwnIdentity(tx, id, kind, address)
  if (confirm) await confirmAddress(tx, id, kind, by)
}
