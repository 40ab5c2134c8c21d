import { readEmail, readPhone } from '../address.ts'
import { type AdminActor, noteSecurityEvent } from '../audit.ts'
import { phoneExists } from '../codes/redeem-token.ts'
import { emailExists } from '../credentials/change-email.ts'
import { checkPassword, hashPassword, isPasswordHash } from '../credentials/passwords.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import { confirmAddress } from '../users/confirm-address.ts'
import { createUser } from '../users/create-user.ts'
import { findByAddress, findById, lockAddress } from '../users/find-user.ts'
import { readUser, type UserJson } from '../users/user-json.ts'
import type { AdminUser } from './admin-users.ts'
import { bannedUntil } from './ban.ts'

/** POST /admin/users: creates a user as the operator describes them; sends no email. */
export async function createByAdmin(deps: AuthDeps, by: AdminActor, given: AdminUser): Promise<UserJson> {
  const email = given.email ? readEmail(given.email) : undefined
  const phone = given.phone ? readPhone(given.phone) : undefined
  if (!email && !phone) throw invalid('Cannot create a user without either an email or phone')
  const passwordHash = await readPassword(deps, given)
  return deps.db.kysely.transaction().execute(async (tx) => {
    if (email) await lockAddress(tx, 'email', email)
    if (phone) await lockAddress(tx, 'phone', phone)
    if (email && (await findByAddress(tx, 'email', email))) throw emailExists()
    if (phone && (await findByAddress(tx, 'phone', phone))) throw phoneExists()
    if (given.id && (await findById(tx, given.id)))
      throw new AuthError(422, 'user_already_exists', 'A user with this id has already been registered')
    const id = await createUser(tx, {
      ...(given.id && { id: given.id }),
      ...(email && { email }),
      ...(phone && { phone }),
      ...(passwordHash && { passwordHash }),
      ...(given.role && { role: given.role }),
      userMetadata: given.user_metadata ?? {},
      ...(given.app_metadata && { appMetadata: given.app_metadata }),
      by,
    })
    if (email && given.email_confirm) await confirmAddress(tx, id, 'email', by)
    if (phone && given.phone_confirm) await confirmAddress(tx, id, 'phone', by)
    if (given.ban_duration)
      await tx
        .updateTable('auth.users')
        .set({ banned_until: bannedUntil(given.ban_duration) })
        .where('id', '=', id)
        .execute()
    await noteSecurityEvent(tx, id, 'auth.user_changed_by_admin', id, { act: 'created' }, by)
    return (await readUser(tx, id))!
  })
}

/** The hash of a given password, or a given hash; undefined if neither was given. */
export async function readPassword(
  deps: AuthDeps,
  { password, password_hash }: AdminUser,
): Promise<string | undefined> {
  if (password && password_hash) throw invalid('Only a password or a password hash should be provided')
  if (password) {
    await checkPassword(deps, password)
    return hashPassword(password)
  }
  if (password_hash && !isPasswordHash(password_hash))
    throw invalid('password_hash needs to be a bcrypt or an argon2id hash')
  return password_hash
}
