import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Queryable } from '../../../db/database.ts'
import { emailOff, phoneOff, readAddress, readEmail } from '../address.ts'
import { readChallenge } from '../challenge.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { redirectTarget } from '../redirects/redirect-target.ts'
import { jsonBody, optional, ownMetadata } from '../request-input.ts'
import { confirmAddress, markAssumed } from '../users/confirm-address.ts'
import { createUser, ownClaims } from '../users/create-user.ts'
import { findByAddress, lockAddress } from '../users/find-user.ts'
import { countCodeRequest } from './request-code.ts'
import { sendConfirmation, sendRecovery } from './send-confirmation.ts'
import { channelOf, keepTextedCode, textCode } from './send-phone-code.ts'

const body = z.object({
  email: optional(z.string()),
  phone: optional(z.string()),
  create_user: optional(z.boolean()),
  data: optional(ownMetadata),
  channel: optional(z.string()),
  code_challenge: optional(z.string()),
  code_challenge_method: optional(z.string()),
})

type Body = z.output<typeof body>

/** POST /otp and /magiclink: a code, and by email also a link, that signs in. */
export function registerOtp(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/otp', async (request) => {
    const given = jsonBody(request, body)
    const target = readAddress(given, 'Only an email address or phone number should be provided')
    return target.kind === 'email'
      ? sendLink(deps, request, target.address, given)
      : sendSms(deps, request.ip, target.address, given)
  })
  scope.post('/magiclink', async (request) => {
    const given = jsonBody(request, body)
    return sendLink(deps, request, readEmail(given.email ?? ''), { ...given, create_user: true })
  })
}

async function sendLink(deps: AuthDeps, request: FastifyRequest, email: string, given: Body): Promise<object> {
  if (!deps.emailEnabled) throw emailOff(422, 'Email logins are disabled')
  const challenge = readChallenge(given.code_challenge, given.code_challenge_method)
  const redirectTo = redirectTarget(deps, request)
  await countCodeRequest(deps, 'email', 'magiclink', email, request.ip)
  await deps.db.kysely.transaction().execute(async (tx) => {
    await lockAddress(tx, 'email', email)
    const known = await findByAddress(tx, 'email', email)
    const userId = known?.id ?? (await makeUser(tx, deps, 'email', email, given))
    const target = { userId, email, redirectTo, challenge }
    if (known?.email_confirmed_at) return sendRecovery(tx, deps, 'magic link', target)
    if (deps.config.AUTH_AUTOCONFIRM === 'on') {
      await confirmAddress(tx, userId, 'email')
      await markAssumed(tx, userId)
      return sendRecovery(tx, deps, 'magic link', target)
    }
    // The password was set before the address was confirmed, perhaps by somebody else.
    return sendConfirmation(tx, deps, target, Boolean(known?.password_hash))
  })
  return {}
}

async function sendSms(deps: AuthDeps, ip: string, phone: string, given: Body): Promise<object> {
  if (!deps.sms) throw phoneOff(400, 'Unsupported phone provider')
  if (!(await findByAddress(deps.db.kysely, 'phone', phone))) refuseNewcomers(deps, given)
  await countCodeRequest(deps, 'sms', 'otp', phone, ip)
  const texted = await textCode(deps, phone, channelOf(given.channel))
  await deps.db.kysely.transaction().execute(async (tx) => {
    await lockAddress(tx, 'phone', phone)
    const known = await findByAddress(tx, 'phone', phone)
    const userId = known?.id ?? (await makeUser(tx, deps, 'phone', phone, given))
    const clearsUnproven = Boolean(known?.password_hash) && !known?.phone_confirmed_at && !known?.email_confirmed_at
    const token = { userId, purpose: 'phone_confirmation', relatesTo: phone, method: 'otp', clearsUnproven } as const
    await keepTextedCode(tx, deps, token, texted)
  })
  return texted.answer
}

function refuseNewcomers({ config }: AuthDeps, { create_user = true }: Body): void {
  if (!create_user || config.AUTH_SIGNUP === 'off')
    throw new AuthError(422, 'otp_disabled', 'Signups not allowed for otp')
}

async function makeUser(
  tx: Queryable,
  deps: AuthDeps,
  kind: 'email' | 'phone',
  address: string,
  given: Body,
): Promise<string> {
  refuseNewcomers(deps, given)
  const { data } = given
  const id = randomUUID()
  return createUser(tx, { id, [kind]: address, userMetadata: { ...data, ...ownClaims(id, kind, address) } })
}
