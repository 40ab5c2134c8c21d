import { noteSecurityEvent } from '../audit.ts'
import { proves } from '../challenge.ts'
import type { AuthDeps, Device } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { linkIdentity } from '../identities/link-identity.ts'
import { beginSession, type TokenResponse, tokensFor } from '../sessions/sessions.ts'
import { findById } from '../users/find-user.ts'
import { redeemFlow } from './flows.ts'

/**
 * Exchanges a one-time code and its PKCE verifier for a session. One transaction consumes the code and creates the
 * session, so a code never creates two; a wrong verifier does not consume the code.
 */
export async function redeemCode(
  deps: AuthDeps,
  code: string,
  verifier: string,
  device: Device,
): Promise<TokenResponse> {
  let owner: string | undefined
  const redeemed = deps.db.kysely.transaction().execute(async (tx) => {
    const flow = await redeemFlow(tx, deps.secrets, code)
    if (!proves(verifier, flow.challenge)) {
      owner = flow.userId
      throw new AuthError(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier')
    }
    const user = await findById(tx, flow.userId)
    if (user?.banned) throw new AuthError(403, 'user_banned', 'User is banned')
    const { tokens: provided, link } = flow.outcome
    if (link) await linkIdentity(tx, deps, flow.userId, link)
    const session = await beginSession(tx, deps, flow.userId, flow.method, device)
    await noteSecurityEvent(tx, flow.userId, 'auth.signed_in', session.id, { method: flow.method, ip: device.ip })
    const tokens = await tokensFor(tx, deps, session)
    if (!tokens) throw new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
    return {
      ...tokens,
      ...(provided?.accessToken && { provider_token: provided.accessToken }),
      ...(provided?.refreshToken && { provider_refresh_token: provided.refreshToken }),
    }
  })
  return redeemed.catch(async (error) => {
    // A client used a code that is not its own. The transaction rolls back, so the event is recorded outside it.
    if (owner) await noteSecurityEvent(deps.db.kysely, owner, 'auth.sign_in_failed', 'verifier', { ip: device.ip })
    throw error
  })
}
