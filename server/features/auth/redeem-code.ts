import { createHash, timingSafeEqual } from 'node:crypto'
import { noteSecurityEvent } from './audit.ts'
import type { AuthDeps, Device } from './deps.ts'
import { AuthError } from './errors.ts'
import { type RedeemedFlow, redeemFlow } from './flows.ts'
import { beginSession, type TokenResponse, tokensFor } from './sessions.ts'

/**
 * Exchanges a one-time code and its PKCE verifier for a session. One transaction takes the code and makes the session,
 * so a code never makes two; a wrong verifier leaves the code to its owner.
 */
export function redeemCode(deps: AuthDeps, code: string, verifier: string, device: Device): Promise<TokenResponse> {
  return deps.db.kysely.transaction().execute(async (tx) => {
    const flow = await redeemFlow(tx, deps.secrets, code)
    if (!proves(verifier, flow)) {
      throw new AuthError(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier')
    }
    const session = await beginSession(tx, deps, flow.userId, 'oauth', device)
    await noteSecurityEvent(tx, flow.userId, 'auth.signed_in', session.id, { method: 'oauth' })
    const tokens = await tokensFor(tx, deps, session)
    if (!tokens) throw new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
    const { accessToken, refreshToken } = flow.tokens
    return { ...tokens, provider_token: accessToken, ...(refreshToken && { provider_refresh_token: refreshToken }) }
  })
}

function proves(verifier: string, { codeChallenge, codeChallengeMethod }: RedeemedFlow): boolean {
  const made = codeChallengeMethod === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url')
  const [given, expected] = [made, codeChallenge].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(given!, expected!)
}
