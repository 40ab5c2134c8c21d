import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { noteSecurityEvent } from '../audit.ts'
import { agreeToEmailChange } from '../credentials/change-email.ts'
import { AuthError } from '../errors.ts'
import { clearUnproven } from '../users/clear-unproven.ts'
import { confirmAddress } from '../users/confirm-address.ts'
import { addOwnIdentity } from '../users/create-user.ts'
import { lockUser } from '../users/find-user.ts'
import { clearTokens, type OneTimeToken, type Purpose, takeToken } from './one-time-tokens.ts'

/** The tokens that each `type` of /verify accepts. */
export const verifyTypes: Record<string, { kind: 'email' | 'phone'; purposes: Purpose[] } | undefined> = {
  signup: { kind: 'email', purposes: ['confirmation'] },
  invite: { kind: 'email', purposes: ['confirmation'] },
  magiclink: { kind: 'email', purposes: ['recovery'] },
  recovery: { kind: 'email', purposes: ['recovery'] },
  email: { kind: 'email', purposes: ['confirmation', 'recovery'] },
  email_change: { kind: 'email', purposes: ['email_change_current', 'email_change_new'] },
  sms: { kind: 'phone', purposes: ['phone_confirmation'] },
  phone_change: { kind: 'phone', purposes: ['phone_change'] },
}

export const FIRST_OF_TWO = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

export const linkExpired = (): AuthError => new AuthError(403, 'otp_expired', 'Email link is invalid or has expired')

/**
 * Takes a token and does what it proves, in the caller's transaction. `first of two`: the other address of an email
 * change has not confirmed yet. Throws `expired` if the token was already taken.
 */
export async function redeemToken(
  tx: Queryable,
  token: OneTimeToken,
  expired: () => AuthError,
): Promise<'proven' | 'first of two'> {
  if (!(await takeToken(tx, token))) throw expired()
  const userId = token.user_id
  const user = await lockUser(tx, userId)
  if (user.banned) throw new AuthError(403, 'user_banned', 'User is banned')
  switch (token.purpose) {
    case 'confirmation':
    case 'recovery':
      if (!user.email_confirmed_at) {
        if (token.clears_unproven) await clearUnproven(tx, userId)
        await confirmAddress(tx, userId, 'email')
      }
      break
    case 'phone_confirmation':
      if (!user.phone_confirmed_at) {
        if (token.clears_unproven) {
          await clearUnproven(tx, userId)
          await tx.updateTable('auth.users').set({ phone: token.relates_to }).where('id', '=', userId).execute()
        }
        await confirmAddress(tx, userId, 'phone')
      }
      break
    case 'email_change_current':
    case 'email_change_new':
      if (!(await agreeToEmailChange(tx, token))) return 'first of two'
      break
    case 'phone_change':
      await setPhone(tx, userId, token.relates_to)
      break
    case 'reauthentication':
      throw expired()
  }
  await clearTokens(tx, userId)
  return 'proven'
}

async function setPhone(tx: Queryable, userId: string, phone: string): Promise<void> {
  const holder = await tx
    .selectFrom('auth.users')
    .select('id')
    .where('phone', '=', phone)
    .where('id', '!=', userId)
    .executeTakeFirst()
  if (holder) throw phoneExists()
  await tx
    .updateTable('auth.users')
    .set({
      phone,
      phone_confirmed_at: sql`app_now()`,
      new_phone: null,
      is_anonymous: false,
      updated_at: sql`app_now()`,
    })
    .where('id', '=', userId)
    .execute()
  await addOwnIdentity(tx, userId, 'phone', phone, true)
  await noteSecurityEvent(tx, userId, 'auth.phone_changed', userId)
}

export const phoneExists = (): AuthError =>
  new AuthError(422, 'phone_exists', 'A user with this phone number has already been registered')
