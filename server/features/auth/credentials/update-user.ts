import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Queryable } from '../../../db/database.ts'
import { emailOff, phoneOff, readEmail, readPhone } from '../address.ts'
import { noteSecurityEvent } from '../audit.ts'
import { readChallenge } from '../challenge.ts'
import { phoneExists } from '../codes/redeem-token.ts'
import { countCodeRequest } from '../codes/request-code.ts'
import { channelOf, keepTextedCode, type TextedCode, textCode } from '../codes/send-phone-code.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { countMail } from '../limits.ts'
import { redirectTarget } from '../redirects/redirect-target.ts'
import { jsonBody, optional, ownMetadata } from '../request-input.ts'
import { type CurrentUser, currentUser } from '../sessions/current-user.ts'
import { markAssumed } from '../users/confirm-address.ts'
import { findByAddress, type KnownUser, lockUser } from '../users/find-user.ts'
import { mergeMetadata } from '../users/metadata.ts'
import { readUser, type UserJson } from '../users/user-json.ts'
import { emailExists, sendEmailChange, setEmail } from './change-email.ts'
import { changePassword, type PasswordChange } from './change-password.ts'

const body = z.object({
  email: optional(z.string()),
  phone: optional(z.string()),
  password: optional(z.string()),
  current_password: optional(z.string()),
  nonce: optional(z.string()),
  data: optional(ownMetadata),
  app_metadata: optional(ownMetadata),
  channel: optional(z.string()),
  code_challenge: optional(z.string()),
  code_challenge_method: optional(z.string()),
})

type Body = z.output<typeof body>

/** PUT /user: metadata at once; password with its rules; address and number when they are confirmed. */
export function registerUpdateUser(scope: FastifyInstance, deps: AuthDeps): void {
  scope.put('/user', async (request) => {
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
  const challenge = readChallenge(given.code_challenge, given.code_challenge_method)
  if (changes.email) {
    if (!deps.emailEnabled) throw emailOff(422, 'Email logins are disabled')
    if (deps.config.AUTH_AUTOCONFIRM === 'off') {
      await countCodeRequest(deps, 'email', 'email_change', changes.email, request.ip)
      // The old address gets a mail too.
      if (before.email) await countMail(deps)
    }
  }
  if (changes.phone) {
    if (!deps.sms) throw phoneOff(400, 'Unsupported phone provider')
    await refuseTaken(deps.db.kysely, userId, changes.phone)
    await countCodeRequest(deps, 'sms', 'phone_change', changes.phone, request.ip)
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
    if (given.data) {
      await mergeMetadata(tx, userId, 'user_metadata', given.data)
      await noteSecurityEvent(tx, userId, 'auth.metadata_changed', userId)
    }
    if (changes.email) await changeEmail(tx, deps, user, changes.email, { redirectTo, challenge })
    if (changes.phone && texted) await changePhone(tx, deps, userId, changes.phone, texted)
    return (await readUser(tx, userId))!
  })
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
  if (deps.config.AUTH_AUTOCONFIRM === 'on') {
    await setEmail(tx, user.id, email)
    await markAssumed(tx, user.id)
  } else await sendEmailChange(tx, deps, user, email, link)
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
