import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { AuthDeps, Device } from '../deps.ts'
import { AuthError } from '../errors.ts'
import type { CurrentUser } from '../sessions/current-user.ts'
import { openRefreshKey, type TokenResponse, tokensFor } from '../sessions/sessions.ts'

/**
 * Makes a session aal2, in the caller's transaction. The counter moves by two, which invalidates earlier tokens,
 * so that a refresh token of the weaker session never becomes a stronger one. The user's other sessions that
 * did not verify a second factor end, and their other unverified factors of this type are deleted.
 */
export async function raiseSession(
  tx: Queryable,
  deps: AuthDeps,
  { sessionId, userId }: CurrentUser,
  factor: { id: string; factor_type: string },
  device: Device,
): Promise<TokenResponse> {
  const method = factor.factor_type === 'totp' ? 'totp' : `mfa/${factor.factor_type}`
  const proof = { at: sql<Date>`app_now()`, factor_id: factor.id }
  await tx
    .insertInto('auth.session_methods')
    .values({ session_id: sessionId, method, ...proof })
    .onConflict((conflict) => conflict.columns(['session_id', 'method']).doUpdateSet(proof))
    .execute()
  const session = await tx
    .updateTable('auth.sessions')
    .set((set) => ({
      aal: 'aal2',
      refresh_counter: set('refresh_counter', '+', 2),
      superseded_below: set('refresh_counter', '+', 2),
      user_agent: device.userAgent,
      ip: device.ip,
    }))
    .where('id', '=', sessionId)
    .returning(['refresh_key', 'refresh_counter'])
    .executeTakeFirst()
  const tokens =
    session &&
    (await tokensFor(tx, deps, {
      id: sessionId,
      userId,
      aal: 'aal2',
      refreshKey: openRefreshKey(deps, sessionId, session.refresh_key),
      refreshCounter: session.refresh_counter,
    }))
  if (!tokens) throw new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  await tx
    .deleteFrom('auth.sessions')
    .where('user_id', '=', userId)
    .where('id', '!=', sessionId)
    .where('aal', '=', 'aal1')
    .execute()
  await tx
    .deleteFrom('auth.mfa_factors')
    .where('user_id', '=', userId)
    .where('id', '!=', factor.id)
    .where('factor_type', '=', factor.factor_type)
    .where('status', '=', 'unverified')
    .execute()
  return tokens
}
