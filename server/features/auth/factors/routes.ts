import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type AuthDeps, deviceOf } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import { isUuid, jsonBody, optional } from '../request-input.ts'
import { type CurrentUser, currentUser } from '../sessions/current-user.ts'
import { challengeFactor } from './challenge-factor.ts'
import { deleteFactor } from './delete-factor.ts'
import { enrollFactor } from './enroll-factor.ts'
import { verifyFactor } from './verify-factor.ts'
import { credentialBody, relyingPartyBody } from './webauthn.ts'

const enrollBody = z.object({
  factor_type: optional(z.string()),
  friendly_name: optional(z.string().max(200)),
  issuer: optional(z.string().max(200)),
  phone: optional(z.string()),
})
const challengeBody = z.object({ channel: optional(z.string()), webauthn: optional(relyingPartyBody) })
const verifyBody = z.object({
  challenge_id: optional(z.string()),
  code: optional(z.string()),
  webauthn: optional(credentialBody),
})

/** /factors: the second factors of a signed-in user. */
export function registerFactors(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/factors', async (request) =>
    enrollFactor(deps, await caller(deps, request), jsonBody(request, enrollBody)),
  )

  scope.post<{ Params: { id: string } }>('/factors/:id/challenge', async (request) => {
    const { userId } = await caller(deps, request)
    const given = request.body ? jsonBody(request, challengeBody) : {}
    return challengeFactor(deps, userId, factorId(request.params.id), { ...given, ip: request.ip })
  })

  scope.post<{ Params: { id: string } }>('/factors/:id/verify', async (request) => {
    const who = await caller(deps, request)
    const { challenge_id, code = '', webauthn } = jsonBody(request, verifyBody)
    if (!code && !webauthn) throw invalid('Code needs to be non-empty')
    if (!isUuid(challenge_id)) throw invalid('challenge_id must be an UUID')
    const given = { factorId: factorId(request.params.id), challengeId: challenge_id, code, webauthn }
    return verifyFactor(deps, who, given, deviceOf(request))
  })

  scope.delete<{ Params: { id: string } }>('/factors/:id', async (request) =>
    deleteFactor(deps, await caller(deps, request), factorId(request.params.id)),
  )
}

async function caller(deps: AuthDeps, request: FastifyRequest): Promise<CurrentUser> {
  const user = await currentUser(deps, request)
  if (user.isAnonymous)
    throw new AuthError(403, 'no_authorization', 'Anonymous user not allowed to perform these actions')
  return user
}

function factorId(text: string): string {
  if (!isUuid(text)) throw new AuthError(404, 'validation_failed', 'factor_id must be an UUID')
  return text
}
