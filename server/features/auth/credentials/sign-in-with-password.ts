import { emailOff, phoneOff, readAddress } from '../address.ts'
import { noteSecurityEvent } from '../audit.ts'
import type { AuthDeps, Device } from '../deps.ts'
import { AuthError } from '../errors.ts'
import type { TokenResponse } from '../sessions/sessions.ts'
import { startSession } from '../sessions/start-session.ts'
import { findByAddress, type KnownUser } from '../users/find-user.ts'
import { beginAttempt } from './password-attempts.ts'
import { checkPassword, verifyPassword } from './passwords.ts'

/** The password grant. An unknown address, an account without a password and a wrong password get the same answer. */
export async function signInWithPassword(
  deps: AuthDeps,
  given: { email?: string; phone?: string; password?: string },
  device: Device,
): Promise<TokenResponse> {
  const { kind, address } = readAddress(given, 'Only an email address or phone number should be provided on login.')
  if (kind === 'email' && !deps.emailEnabled) throw emailOff(422, 'Email logins are disabled')
  if (kind === 'phone' && !deps.sms) throw phoneOff(422, 'Phone logins are disabled')
  const user = await findByAddress(deps.db.kysely, kind, address)
  const wasRight = await beginAttempt(deps, address, user?.id ?? null, device.ip)
  const password = given.password ?? ''
  if (!(await verifyPassword(user?.password_hash ?? null, password)) || !user) {
    if (user) await noteSecurityEvent(deps.db.kysely, user.id, 'auth.sign_in_failed', 'password', { ip: device.ip })
    throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
  }
  await wasRight()
  const refused = refusal(user, kind)
  if (refused) {
    const detail = { because: refused.code, ip: device.ip }
    await noteSecurityEvent(deps.db.kysely, user.id, 'auth.sign_in_failed', 'password', detail)
    throw refused
  }
  const tokens = await deps.db.kysely.transaction().execute((tx) => startSession(tx, deps, user.id, 'password', device))
  const weak = await weakness(deps, password)
  return weak ? { ...tokens, weak_password: weak } : tokens
}

/** Why a user with the right password may not sign in yet. */
function refusal(user: KnownUser, kind: 'email' | 'phone'): AuthError | null {
  if (user.banned) return new AuthError(400, 'user_banned', 'User is banned')
  if (user[`${kind}_confirmed_at`]) return null
  return kind === 'email'
    ? new AuthError(400, 'email_not_confirmed', 'Email not confirmed')
    : new AuthError(400, 'phone_not_confirmed', 'Phone not confirmed')
}

/** Why an existing password would be refused as a new one. */
async function weakness(deps: AuthDeps, password: string): Promise<TokenResponse['weak_password']> {
  try {
    await checkPassword(deps, password)
    return undefined
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    const { message, detail } = error
    return { message, reasons: (detail.weak_password as { reasons: string[] } | undefined)?.reasons ?? [] }
  }
}
