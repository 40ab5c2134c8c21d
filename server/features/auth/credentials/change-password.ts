import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { noteSecurityEvent } from '../audit.ts'
import { mailChange } from '../changes/mail-change.ts'
import { clearTokens, guessCode } from '../codes/one-time-tokens.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import type { CurrentUser } from '../sessions/current-user.ts'
import type { KnownUser } from '../users/find-user.ts'
import { checkPassword, hashPassword, refuseFirstPassword, verifyPassword } from './passwords.ts'

interface Asked {
  password: string
  current_password?: string
  nonce?: string
}

export interface PasswordChange {
  /** In the caller's transaction: sets it, invalidates all sent codes and ends the user's other sessions. */
  write: (tx: Queryable) => Promise<void>
}

const FRESH = '24 hours'

/** Checks every rule for a new password. Throws AuthError. */
export async function changePassword(
  deps: AuthDeps,
  user: KnownUser,
  { userId, sessionId }: CurrentUser,
  { password, current_password, nonce }: Asked,
): Promise<PasswordChange> {
  if (!user.password_hash) refuseFirstPassword(deps)
  const rule = deps.config.AUTH_PASSWORD_UPDATE
  if (rule === 'current-password' && user.password_hash) await checkCurrent(deps, user, current_password)
  const needsNonce = rule === 'reauthentication' && user.password_hash && !(await isFresh(deps, sessionId))
  if (needsNonce && !nonce)
    throw new AuthError(400, 'reauthentication_needed', 'Password update requires reauthentication')
  if (needsNonce && !(await guessCode(deps.db.kysely, deps.secrets, userId, ['reauthentication'], nonce!))) {
    await noteSecurityEvent(deps.db.kysely, userId, 'auth.code_refused', 'reauthentication')
    throw new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid')
  }
  await checkPassword(deps, password)
  if (user.password_hash && (await verifyPassword(user.password_hash, password)))
    throw new AuthError(422, 'same_password', 'New password should be different from the old password.')
  const hash = await hashPassword(password)
  return {
    async write(tx) {
      await tx
        .updateTable('auth.users')
        .set({ password_hash: hash, updated_at: sql`app_now()` })
        .where('id', '=', userId)
        .execute()
      await clearTokens(tx, userId)
      await tx.deleteFrom('auth.sessions').where('user_id', '=', userId).where('id', '!=', sessionId).execute()
      await noteSecurityEvent(tx, userId, 'auth.password_changed', userId)
      await mailChange(tx, deps, { userId, to: [user.email] }, { change: 'password_changed', name: '' })
    },
  }
}

async function checkCurrent(
  deps: AuthDeps,
  { id, password_hash }: KnownUser,
  given: string | undefined,
): Promise<void> {
  if (!given)
    throw new AuthError(400, 'current_password_required', 'Current password required when setting new password.')
  const wasRight = await deps.limits.attempt('auth.currentPassword', { person: id })
  if (!(await verifyPassword(password_hash, given))) {
    await noteSecurityEvent(deps.db.kysely, id, 'auth.sign_in_failed', 'current password')
    throw new AuthError(400, 'current_password_invalid', 'Current password is incorrect.')
  }
  await wasRight()
}

async function isFresh({ db }: AuthDeps, sessionId: string): Promise<boolean> {
  const session = await db.kysely
    .selectFrom('auth.sessions')
    .select(sql<boolean>`created_at > app_now() - ${FRESH}::interval`.as('fresh'))
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return session?.fresh ?? false
}
