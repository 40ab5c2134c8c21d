import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import { findProvider, flowChallenge, startFlow } from '../providers/authorize.ts'
import { redirectTarget } from '../redirects/redirect-target.ts'
import { isUuid, query } from '../request-input.ts'
import { currentUser } from '../sessions/current-user.ts'
import { unlinkIdentity } from './unlink-identity.ts'

/** GET /user/identities/authorize and DELETE /user/identities/{id}: the other accounts of a signed-in user. */
export function registerIdentities(scope: FastifyInstance, deps: AuthDeps): void {
  scope.get('/user/identities/authorize', async (request, reply) => {
    const { userId } = await currentUser(deps, request)
    refuseWhenOff(deps)
    const parameters = query(request)
    const provider = findProvider(deps, parameters.get('provider') ?? '')
    const challenge = flowChallenge(deps, parameters)
    // Only the client with the verifier can redeem the code, which proves that the same user started and finished the flow.
    if (!challenge) throw invalid('PKCE flow requires code_challenge_method and code_challenge')
    const redirectTo = redirectTarget(deps, request)
    const url = await startFlow(deps, provider, { parameters, challenge, redirectTo, linkingUserId: userId }, reply)
    return parameters.get('skip_http_redirect') === 'true' ? { url } : reply.redirect(url)
  })

  scope.delete<{ Params: { id: string } }>('/user/identities/:id', async (request) => {
    const { userId } = await currentUser(deps, request)
    refuseWhenOff(deps)
    if (!isUuid(request.params.id)) throw new AuthError(404, 'validation_failed', 'identity_id must be an UUID')
    await unlinkIdentity(deps, userId, request.params.id)
    return {}
  })
}

function refuseWhenOff({ config }: AuthDeps): void {
  if (config.AUTH_LINKING === 'off') throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled')
}
