import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Queryable } from '../../../db/database.ts'
import { emailOff, readEmail } from '../address.ts'
import { type AdminActor, noteSecurityEvent } from '../audit.ts'
import { issueToken, type Purpose } from '../codes/one-time-tokens.ts'
import { mailCode } from '../codes/send-code.ts'
import { verifyLink } from '../codes/verify-link-url.ts'
import { emailExists } from '../credentials/change-email.ts'
import { checkPassword, hashPassword } from '../credentials/passwords.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import { countMail } from '../limits.ts'
import { redirectTarget } from '../redirects/redirect-target.ts'
import { jsonBody, metadata, optional } from '../request-input.ts'
import { createUser } from '../users/create-user.ts'
import { findByAddress, lockAddress } from '../users/find-user.ts'
import { readUser, type UserJson } from '../users/user-json.ts'
import { adminOf, noSuchUser } from './require-admin.ts'

const inviteBody = z.object({ email: optional(z.string()), data: optional(metadata) })
const linkBody = z.object({
  type: optional(z.string()),
  email: optional(z.string()),
  new_email: optional(z.string()),
  password: optional(z.string()),
  data: optional(metadata),
  redirect_to: optional(z.string()),
})

/** For each type of generate_link: the token's purpose, the `type` of its link, and whether it can create the user. */
const TYPES: Record<string, { purpose: Purpose; verifyType: string; creates: boolean } | undefined> = {
  signup: { purpose: 'confirmation', verifyType: 'signup', creates: true },
  invite: { purpose: 'confirmation', verifyType: 'invite', creates: true },
  magiclink: { purpose: 'recovery', verifyType: 'magiclink', creates: true },
  recovery: { purpose: 'recovery', verifyType: 'recovery', creates: false },
  email_change_current: { purpose: 'email_change_current', verifyType: 'email_change', creates: false },
  email_change_new: { purpose: 'email_change_new', verifyType: 'email_change', creates: false },
}

/** POST /invite and POST /admin/generate_link: links for users, mailed by us or returned to the operator. */
export function registerAdminLinks(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/invite', async (request) => {
    const given = jsonBody(request, inviteBody)
    const email = readEmail(given.email ?? '')
    if (!deps.emailEnabled) throw emailOff(422, 'Email logins are disabled')
    const redirectTo = redirectTarget(deps, request)
    const by = adminOf(request)
    await countMail(deps)
    return deps.db.kysely.transaction().execute(async (tx) => {
      const userId = await findOrInvite(tx, by, email, given.data)
      const token = { userId, purpose: 'confirmation', relatesTo: email, method: 'invite' } as const
      await mailCode(tx, deps, { ...token, kind: 'invite', verifyType: 'invite', redirectTo })
      await noteSecurityEvent(tx, userId, 'auth.code_sent', 'invite', {}, by)
      return noteInvitation(tx, userId)
    })
  })

  scope.post('/admin/generate_link', async (request) => generateLink(deps, request, jsonBody(request, linkBody)))
}

async function generateLink(
  deps: AuthDeps,
  request: FastifyRequest,
  given: z.output<typeof linkBody>,
): Promise<object> {
  const wanted = given.type && Object.hasOwn(TYPES, given.type) ? TYPES[given.type] : undefined
  if (!wanted) throw invalid(`Invalid email action link type requested: ${String(given.type).slice(0, 40)}`)
  const email = readEmail(given.email ?? '')
  const newEmail = wanted.verifyType === 'email_change' ? readEmail(given.new_email ?? '') : null
  if (given.type === 'signup') {
    if (!given.password) throw invalid('Signup requires a valid password')
    await checkPassword(deps, given.password)
  }
  const passwordHash = given.type === 'signup' ? await hashPassword(given.password!) : undefined
  const by = adminOf(request)
  const redirectTo = deps.redirects.choose(given.redirect_to, redirectTarget(deps, request))
  return deps.db.kysely.transaction().execute(async (tx) => {
    await lockAddress(tx, 'email', email)
    const known = await findByAddress(tx, 'email', email)
    if (!known && !wanted.creates) throw noSuchUser()
    if (known?.email_confirmed_at && wanted.purpose === 'confirmation') throw emailExists()
    const userId =
      known?.id ??
      (await createUser(tx, { email, userMetadata: given.data ?? {}, by, ...(passwordHash && { passwordHash }) }))
    if (newEmail) await prepareChange(tx, userId, newEmail)
    const relatesTo = wanted.purpose === 'email_change_new' ? newEmail! : email
    const { code, linkToken } = await issueToken(tx, deps.secrets, {
      userId,
      // Unconfirmed users sign in by confirming.
      purpose: wanted.purpose === 'recovery' && !known?.email_confirmed_at ? 'confirmation' : wanted.purpose,
      relatesTo,
      method: given.type!,
    })
    const verifyType = wanted.purpose === 'recovery' && !known?.email_confirmed_at ? 'signup' : wanted.verifyType
    await noteSecurityEvent(tx, userId, 'auth.link_made_by_admin', given.type!, {}, by)
    return {
      ...(given.type === 'invite' ? await noteInvitation(tx, userId) : (await readUser(tx, userId))!),
      action_link: verifyLink(deps.config, { linkToken, type: verifyType, redirectTo }),
      email_otp: code,
      hashed_token: linkToken,
      verification_type: verifyType,
      redirect_to: redirectTo,
    }
  })
}

async function findOrInvite(
  tx: Queryable,
  by: AdminActor,
  email: string,
  data: Record<string, unknown> = {},
): Promise<string> {
  await lockAddress(tx, 'email', email)
  const known = await findByAddress(tx, 'email', email)
  if (known?.email_confirmed_at) throw emailExists()
  return known?.id ?? createUser(tx, { email, userMetadata: data, by })
}

async function noteInvitation(tx: Queryable, userId: string): Promise<UserJson> {
  await tx
    .updateTable('auth.users')
    .set({ invited_at: sql`app_now()`, confirmation_sent_at: sql`app_now()` })
    .where('id', '=', userId)
    .execute()
  const user = await readUser(tx, userId)
  if (!user) throw new AuthError(404, 'user_not_found', 'User not found')
  return user
}

async function prepareChange(tx: Queryable, userId: string, newEmail: string): Promise<void> {
  const holder = await findByAddress(tx, 'email', newEmail)
  if (holder && holder.id !== userId) throw emailExists()
  await tx
    .updateTable('auth.users')
    .set({ new_email: newEmail, email_change_sent_at: sql`app_now()` })
    .where('id', '=', userId)
    .execute()
}
