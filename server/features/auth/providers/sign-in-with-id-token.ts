import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type AuthDeps, deviceOf } from '../deps.ts'
import { AuthError, invalid, OAuthError } from '../errors.ts'
import { linking } from '../factors/assurance.ts'
import { linkIdentity } from '../identities/link-identity.ts'
import { optional } from '../request-input.ts'
import { currentUser } from '../sessions/current-user.ts'
import type { TokenResponse } from '../sessions/sessions.ts'
import { startSession } from '../sessions/start-session.ts'
import { signInWithIdentity } from './sign-in-with-identity.ts'

export const idTokenBody = z.object({
  provider: optional(z.string()),
  id_token: optional(z.string()),
  access_token: optional(z.string()),
  nonce: optional(z.string()),
  link_identity: optional(z.boolean()),
})

/**
 * The id_token grant: a token that the provider gave to an application of ours. Issuer and keys come from our own
 * configuration, never from the body.
 */
export async function signInWithIdToken(
  deps: AuthDeps,
  request: FastifyRequest,
  given: z.output<typeof idTokenBody>,
): Promise<TokenResponse> {
  const { id_token: idToken, provider: name, nonce, access_token: accessToken } = given
  if (!idToken) throw new OAuthError('invalid request', 'id_token required')
  if (!name) throw new OAuthError('invalid request', 'provider or client_id and issuer required')
  if (name !== 'google') throw invalid(`Custom OIDC provider ${JSON.stringify(name.slice(0, 40))} not allowed`)
  const { google } = deps.providers
  if (!google?.readIdToken)
    throw new AuthError(400, 'provider_disabled', 'Provider (issuer "https://accounts.google.com") is not enabled')
  const linker = given.link_identity ? await currentUser(deps, request, { assurance: linking }) : null
  const identity = await google.readIdToken({ idToken, nonce, accessToken })
  if (linker && deps.config.AUTH_LINKING === 'off')
    throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  return deps.db.kysely.transaction().execute(async (tx) => {
    if (linker) {
      await linkIdentity(tx, deps, linker.userId, identity)
      return startSession(tx, deps, linker.userId, 'oauth', deviceOf(request))
    }
    const options = { signUp: deps.config.AUTH_SIGNUP === 'on', mayMail: false }
    const { userId, awaitingProof } = await signInWithIdentity(tx, identity, options)
    if (awaitingProof)
      throw new AuthError(
        422,
        'provider_email_needs_verification',
        'Unverified email with google. Verify the email with google in order to sign in',
      )
    return startSession(tx, deps, userId, 'oauth', deviceOf(request))
  })
}
