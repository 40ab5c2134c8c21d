import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Queryable } from '../../db/database.ts'
import { emailOff, phoneOff, readEmail, readPhone } from './address.ts'
import { noteSecurityEvent } from './audit.ts'
import { readChallenge } from './challenge.ts'
import { emailExists, sendEmailChange, setEmail } from './change-email.ts'
import { changePassword, type PasswordChange } from './change-password.ts'
import { type CurrentUser, currentUser } from './current-user.ts'
import type { AuthDeps } from './deps.ts'
import { AuthError } from './errors.ts'
import { phoneExists } from './redeem-token.ts'
import { redirectTarget } from './redirect-target.ts'
import { countCodeRequest } from './request-code.ts'
import { jsonBody, metadata, optional } from './request-input.ts'
import { channelOf, keepTextedCode, type TextedCode, textCode } from './send-phone-code.ts'
import { readUser, type UserJson } from './user-json.ts'
import { findByAddress, type KnownUser, lockUser } from './users/find-user.ts'

const body = z.object({
  email: optional(z.string()),
  phone: optional(z.string()),
  password: optional(z.string()),
  current_password: optional(z.string()),
  nonce: optional(z.string()),
  data: optional(metadata),
  app_metadata: optional(metadata),
  channel: optional(z.string()),
  code_challenge: optional(z.string()),
  code_challenge_method: optional(z.string()),
})

type Body = z.output<typeof body>

/** PUT /user: metadata at once; password with its rules; address and number when they are confirmed. */
export function registerUpdateUser(scope: FastifyInstance, deps: AuthDeps): void {
  scope.put('/user', async (request) => {
    await deps.limits.count('updateUser', request.ip)
    const caller = await currentUser(deps, request)
    return update(deps, request, caller, jsonBody(request, body))
  })
}

async function update(deps: AuthDeps, request: FastifyRequest, caller: CurrentUser, given: Body): Promise<UserJson> {
  const { userId } = caller
  const before = await lockUser(deps.db.kysely, userId)
  if (given.app_metadata) throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges')
  const email = given.email ? readEmail(given.email) : undefined
  const phone = given.phone ? readPhone(given.phone) : undefined
  const changes = {
    email: email !== before.email ? email : undefined,
    phone: phone !== before.phone ? phone : undefined,
  }
  if ((changes.email || changes.phone || given.password) && before.enrolled && caller.aal !== 'aal2')
    throw new AuthError(
      401,
      'insufficient_aal',
      'AAL2 session is required to update email or password when MFA is enabled.',
    )
  const challenge = readChallenge(given.code_challenge, given.code_challenge_method)
  if (changes.email) {
    if (!deps.emailEnabled) throw emailOff(422, 'Email logins are disabled')
    if (deps.config.AUTH_AUTOCONFIRM === 'off') await countCodeRequest(deps, 'email', 'email_change', changes.email)
  }
  if (changes.phone) {
    if (!deps.sms) throw phoneOff(400, 'Unsupported phone provider')
    await refuseTaken(deps.db.kysely, userId, changes.phone)
    await countCodeRequest(deps, 'sms', 'phone_change', changes.phone)
  }
  // Checks and hashes before the transaction, which must not wait for either.
  const password: PasswordChange | null = given.password
    ? await changePassword(deps, before, caller, { ...given, password: given.password })
    : null
  const redirectTo = redirectTarget(deps, request)
  const texted = changes.phone && (await textCode(deps, changes.phone, channelOf(given.channel)))

  return deps.db.kysely.transaction().execute(async (tx) => {
    const user = await lockUser(tx, userId)
    if (password) await password.write(tx)
    if (given.data) await mergeData(tx, userId, given.data)
    if (changes.email) await changeEmail(tx, deps, user, changes.email, { redirectTo, challenge })
    if (changes.phone && texted) await changePhone(tx, deps, userId, changes.phone, texted)
    return (await readUser(tx, userId))!
  })
}

/** Null takes a key away. */
async function mergeData(tx: Queryable, userId: string, data: Record<string, unknown>): Promise<void> {
  const gone = Object.entries(data).flatMap(([key, value]) => (value === null ? [key] : []))
  await tx
    .updateTable('auth.users')
    .set({
      user_metadata: sql`(user_metadata || ${JSON.stringify(data)}::jsonb) - ${gone}::text[]`,
      updated_at: sql`app_now()`,
    })
    .where('id', '=', userId)
    .execute()
  await noteSecurityEvent(tx, userId, 'auth.metadata_changed', userId)
}

async function changeEmail(
  tx: Queryable,
  deps: AuthDeps,
  user: KnownUser,
  email: string,
  link: Parameters<typeof sendEmailChange>[4],
): Promise<void> {
  const holder = await findByAddress(tx, 'email', email)
  if (holder && holder.id !== user.id) throw emailExists()
  if (deps.config.AUTH_AUTOCONFIRM === 'on') await setEmail(tx, user.id, email)
  else await sendEmailChange(tx, deps, user, email, link)
}

async function changePhone(
  tx: Queryable,
  deps: AuthDeps,
  userId: string,
  phone: string,
  texted: TextedCode,
): Promise<void> {
  await refuseTaken(tx, userId, phone)
  await tx
    .updateTable('auth.users')
    .set({ new_phone: phone, phone_change_sent_at: sql`app_now()` })
    .where('id', '=', userId)
    .execute()
  await keepTextedCode(tx, deps, { userId, purpose: 'phone_change', relatesTo: phone, method: 'otp' }, texted)
}

async function refuseTaken(db: Queryable, userId: string, phone: string): Promise<void> {
  const holder = await findByAddress(db, 'phone', phone)
  if (holder && holder.id !== userId) throw phoneExists()
}
