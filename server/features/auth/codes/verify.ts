import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readAddress, readEmail, readPhone } from '../address.ts'
import { noteSecurityEvent } from '../audit.ts'
import { type AuthDeps, deviceOf } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import { jsonBody, optional } from '../request-input.ts'
import type { TokenResponse } from '../sessions/sessions.ts'
import { startSession } from '../sessions/start-session.ts'
import { findByAddress } from '../users/find-user.ts'
import { findByLink, guessCode, type OneTimeToken } from './one-time-tokens.ts'
import { FIRST_OF_TWO, linkExpired, redeemToken, verifyTypes } from './redeem-token.ts'
import { answerConfirmedLink } from './verify-link.ts'

const body = z.object({
  type: optional(z.string()),
  token: optional(z.string()),
  token_hash: optional(z.string()),
  email: optional(z.string()),
  phone: optional(z.string()),
})

type Body = z.output<typeof body>

const codeExpired = (): AuthError => new AuthError(403, 'otp_expired', 'Token has expired or is invalid')

/** POST /verify: a code with its address, or the token of a link, for a session. The confirmation page posts a form. */
export function registerVerify(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/verify', async (request, reply) => {
    if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      return answerConfirmedLink(deps, request, reply)
    return verify(deps, request, jsonBody(request, body))
  })
}

async function verify(
  deps: AuthDeps,
  request: FastifyRequest,
  given: Body,
): Promise<TokenResponse | { msg: string; code: string }> {
  if (!given.type) throw invalid('Verify requires a verification type')
  const wanted = Object.hasOwn(verifyTypes, given.type) ? verifyTypes[given.type] : undefined
  if (!wanted) throw invalid('Unsupported verification type')
  if (Boolean(given.token) === Boolean(given.token_hash))
    throw invalid('Verify requires either a token or a token hash')
  if (given.token_hash && (given.email || given.phone)) throw invalid('Only the token_hash and type should be provided')

  const expired = given.token_hash ? linkExpired : codeExpired
  const token = given.token_hash ? await findByLink(deps.db.kysely, given.token_hash) : await guess(deps, given, wanted)
  if (!token || !wanted.purposes.includes(token.purpose)) throw expired()
  return deps.db.kysely.transaction().execute(async (tx) => {
    if ((await redeemToken(tx, token, expired)) === 'first of two') return { msg: FIRST_OF_TWO, code: '200' }
    return startSession(tx, deps, token.user_id, 'otp', deviceOf(request))
  })
}

async function guess(
  { db, secrets }: AuthDeps,
  given: Body,
  { kind, purposes }: { kind: 'email' | 'phone'; purposes: OneTimeToken['purpose'][] },
): Promise<OneTimeToken | null> {
  const named = readAddress(given, 'Only an email address or phone number should be provided on verify')
  const address = kind === 'email' ? readEmail(given.email ?? '') : readPhone(given.phone ?? '')
  // A code for a change goes to the new address, which has no user yet.
  const user = (await findByAddress(db.kysely, kind, address)) ?? (await findByPending(db.kysely, named.kind, address))
  if (!user) return null
  const hit = await guessCode(db.kysely, secrets, user.id, purposes, given.token!, address)
  if (!hit) await noteSecurityEvent(db.kysely, user.id, 'auth.code_refused', given.type!)
  return hit
}

function findByPending(db: AuthDeps['db']['kysely'], kind: 'email' | 'phone', address: string) {
  return db
    .selectFrom('auth.one_time_tokens')
    .select('user_id as id')
    .where('relates_to', '=', address)
    .where('purpose', '=', kind === 'email' ? 'email_change_new' : 'phone_change')
    .executeTakeFirst()
}
