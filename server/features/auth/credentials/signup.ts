import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Queryable } from '../../../db/database.ts'
import { emailOff, phoneOff, readAddress } from '../address.ts'
import { readChallenge } from '../challenge.ts'
import { countCodeRequest } from '../codes/request-code.ts'
import { sendConfirmation } from '../codes/send-confirmation.ts'
import { channelOf, keepTextedCode, type TextedCode, textCode } from '../codes/send-phone-code.ts'
import { type AuthDeps, deviceOf } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import { redirectTarget } from '../redirects/redirect-target.ts'
import { jsonBody, optional, ownMetadata } from '../request-input.ts'
import type { TokenResponse } from '../sessions/sessions.ts'
import { startSession } from '../sessions/start-session.ts'
import { confirmAddress, markAssumed } from '../users/confirm-address.ts'
import { createUser, ownClaims } from '../users/create-user.ts'
import { findByAddress, lockAddress } from '../users/find-user.ts'
import { pretend } from '../users/pretend.ts'
import { readUser, type UserJson } from '../users/user-json.ts'
import { checkPassword, hashPassword, refuseFirstPassword } from './passwords.ts'

const body = z.object({
  email: optional(z.string()),
  phone: optional(z.string()),
  password: optional(z.string()),
  data: optional(ownMetadata),
  channel: optional(z.string()),
  code_challenge: optional(z.string()),
  code_challenge_method: optional(z.string()),
})

type Body = z.output<typeof body>
type Address = { kind: 'email' | 'phone'; address: string }

/** POST /signup: by email or phone with a password, or anonymously. */
export function registerSignup(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/signup', async (request) => {
    const given = jsonBody(request, body)
    if (!given.email && !given.phone) return signUpAnonymously(deps, request, given)
    const target = readAddress(given, 'Only an email address or phone number should be provided on signup.')
    if (!given.password) throw invalid('Signup requires a valid password')
    if (deps.config.AUTH_SIGNUP === 'off') throw signupOff()
    if (target.kind === 'email' && !deps.emailEnabled) throw emailOff(400, 'Email signups are disabled')
    if (target.kind === 'phone' && !deps.sms) throw phoneOff(400, 'Phone signups are disabled')
    refuseFirstPassword(deps)
    await checkPassword(deps, given.password)
    return signUp(deps, request, target, given.password, given)
  })
}

async function signUp(
  deps: AuthDeps,
  request: FastifyRequest,
  target: Address,
  password: string,
  given: Body,
): Promise<UserJson | TokenResponse> {
  const { kind, address } = target
  const challenge = readChallenge(given.code_challenge, given.code_challenge_method)
  const autoconfirm = deps.config.AUTH_AUTOCONFIRM === 'on'
  // Hashed in any case, so that the time of the answer does not reveal who has an account.
  const passwordHash = await hashPassword(password)
  if (!autoconfirm)
    await countCodeRequest(deps, kind === 'email' ? 'email' : 'sms', 'confirmation', address, request.ip)
  const texted = kind === 'phone' && !autoconfirm ? await textNewcomer(deps, address, given) : null

  return deps.db.kysely.transaction().execute(async (tx) => {
    await lockAddress(tx, kind, address)
    const known = await findByAddress(tx, kind, address)
    const confirmed = known && (kind === 'email' ? known.email_confirmed_at : known.phone_confirmed_at)
    if (autoconfirm) {
      if (confirmed) throw new AuthError(422, 'user_already_exists', 'User already registered')
      const userId = known?.id ?? (await insertUser(tx, passwordHash, target, given))
      await confirmAddress(tx, userId, kind)
      await markAssumed(tx, userId)
      return startSession(tx, deps, userId, 'password', deviceOf(request))
    }
    const redirectTo = redirectTarget(deps, request)
    const send = async (userId: string) => {
      if (kind === 'email') return sendConfirmation(tx, deps, { userId, email: address, redirectTo, challenge })
      const token = { userId, purpose: 'phone_confirmation', relatesTo: address, method: 'otp' } as const
      if (texted) await keepTextedCode(tx, deps, token, texted)
    }
    const signUpAnew = async () => {
      const userId = await insertUser(tx, passwordHash, target, given)
      await send(userId)
      return (await readUser(tx, userId))!
    }
    if (!known) return signUpAnew()
    // A second sign-up changes nothing that the first one set, and does not show it.
    if (!confirmed) await send(known.id)
    const invented = await pretend(tx, async () => {
      await tx
        .updateTable('auth.users')
        .set({ [kind]: null })
        .where('id', '=', known.id)
        .execute()
      return signUpAnew()
    })
    // Clients of the protocol read the empty list as "already registered".
    return confirmed ? { ...invented, identities: [] } : invented
  })
}

/** Null for a confirmed number: its owner gets no message. */
async function textNewcomer(deps: AuthDeps, phone: string, { channel }: Body): Promise<TextedCode | null> {
  const known = await findByAddress(deps.db.kysely, 'phone', phone)
  return known?.phone_confirmed_at ? null : textCode(deps, phone, channelOf(channel))
}

function insertUser(tx: Queryable, passwordHash: string, { kind, address }: Address, { data }: Body): Promise<string> {
  const id = randomUUID()
  const userMetadata = { ...data, ...ownClaims(id, kind, address) }
  return createUser(tx, { id, [kind]: address, passwordHash, userMetadata })
}

async function signUpAnonymously(deps: AuthDeps, request: FastifyRequest, { data }: Body): Promise<TokenResponse> {
  if (deps.config.AUTH_ANONYMOUS === 'off')
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
  if (deps.config.AUTH_SIGNUP === 'off') throw signupOff()
  await deps.limits.count('auth.anonymous', { address: request.ip })
  return deps.db.kysely.transaction().execute(async (tx) => {
    const userId = await createUser(tx, { userMetadata: data ?? {}, anonymous: true })
    return startSession(tx, deps, userId, 'anonymous', deviceOf(request))
  })
}

export const signupOff = (): AuthError => new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
