import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { noteSecurityEvent } from '../audit.ts'
import type { Challenge } from '../challenge.ts'
import type { OneTimeToken } from '../codes/one-time-tokens.ts'
import { mailCode } from '../codes/send-code.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { addOwnIdentity } from '../users/create-user.ts'
import { findByAddress, type KnownUser, lockAddress, lockUser } from '../users/find-user.ts'

/** Asks both the old and the new address to confirm, or only the new one if there is no old one. */
export async function sendEmailChange(
  tx: Queryable,
  deps: AuthDeps,
  user: Pick<KnownUser, 'id' | 'email'>,
  newEmail: string,
  link: { redirectTo: string; challenge: Challenge | null },
): Promise<void> {
  await tx
    .updateTable('auth.users')
    .set({ new_email: newEmail, email_change_sent_at: sql`app_now()`, email_change_confirmed: null })
    .where('id', '=', user.id)
    .execute()
  const common = { ...link, userId: user.id, method: 'email_change', verifyType: 'email_change' }
  await mailCode(tx, deps, {
    ...common,
    purpose: 'email_change_new',
    relatesTo: newEmail,
    kind: 'change email, new address',
  })
  if (user.email)
    await mailCode(tx, deps, {
      ...common,
      purpose: 'email_change_current',
      relatesTo: user.email,
      kind: 'change email, old address',
    })
  await noteSecurityEvent(tx, user.id, 'auth.email_change_requested', user.id)
}

export const emailExists = (): AuthError =>
  new AuthError(422, 'email_exists', 'A user with this email address has already been registered')

/** Records that one of the two addresses confirmed, in the caller's transaction. True once the address has changed. */
export async function agreeToEmailChange(tx: Queryable, token: OneTimeToken): Promise<boolean> {
  const user = await lockUser(tx, token.user_id)
  const side = token.purpose === 'email_change_current' ? 'current' : 'new'
  const complete = !user.email || (user.email_change_confirmed !== null && user.email_change_confirmed !== side)
  if (!complete) {
    await tx.updateTable('auth.users').set({ email_change_confirmed: side }).where('id', '=', user.id).execute()
    await noteSecurityEvent(tx, user.id, 'auth.email_change_agreed', side)
    return false
  }
  if (user.new_email) await setEmail(tx, user.id, user.new_email)
  return true
}

/** Sets a new, confirmed address. Throws email_exists if another account has it. */
export async function setEmail(tx: Queryable, userId: string, email: string): Promise<void> {
  await lockAddress(tx, 'email', email)
  const holder = await findByAddress(tx, 'email', email)
  if (holder && holder.id !== userId) throw emailExists()
  await tx
    .updateTable('auth.users')
    .set({
      email,
      email_confirmed_at: sql`app_now()`,
      new_email: null,
      email_change_confirmed: null,
      is_anonymous: false,
      user_metadata: sql`case when user_metadata ? 'email' then user_metadata || jsonb_build_object('email', ${email}::text, 'email_verified', true) else user_metadata end`,
      updated_at: sql`app_now()`,
    })
    .where('id', '=', userId)
    .execute()
  await addOwnIdentity(tx, userId, 'email', email, true)
  await noteSecurityEvent(tx, userId, 'auth.email_changed', userId)
}
