import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { signInWithPassword } from '../credentials/sign-in-with-password.ts'
import { type AuthDeps, deviceOf } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { redeemCode } from '../providers/redeem-code.ts'
import { idTokenBody, signInWithIdToken } from '../providers/sign-in-with-id-token.ts'
import { jsonBody, optional, query } from '../request-input.ts'
import { refreshSession } from './refresh-session.ts'

const pkceBody = z.object({ auth_code: optional(z.string()), code_verifier: optional(z.string()) })
const refreshBody = z.object({ refresh_token: optional(z.string()) })
const passwordBody = z.object({
  email: optional(z.string()),
  phone: optional(z.string()),
  password: optional(z.string()),
})

/** POST /token?grant_type=... */
export function registerToken(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/token', async (request) => {
    const grant = query(request).get('grant_type')
    if (grant === 'web3') throw new AuthError(422, 'web3_provider_disabled', 'Web3 provider is disabled')
    switch (grant) {
      case 'pkce': {
        const { auth_code, code_verifier } = jsonBody(request, pkceBody)
        if (!auth_code || !code_verifier) {
          throw new AuthError(
            400,
            'validation_failed',
            'invalid request: both auth code and code verifier should be non-empty',
          )
        }
        return redeemCode(deps, auth_code, code_verifier, deviceOf(request))
      }
      case 'refresh_token': {
        const { refresh_token } = jsonBody(request, refreshBody)
        return refreshSession(deps, refresh_token ?? '', deviceOf(request))
      }
      case 'password':
        return signInWithPassword(deps, jsonBody(request, passwordBody), deviceOf(request))
      case 'id_token':
        return signInWithIdToken(deps, request, jsonBody(request, idTokenBody))
      default:
        throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type')
    }
  })
}
