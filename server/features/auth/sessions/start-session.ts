import type { Queryable } from '../../../db/database.ts'
import { noteSecurityEvent } from '../audit.ts'
import type { AuthDeps, Device } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { beginSession, type TokenResponse, tokensFor } from './sessions.ts'

/** Starts a session and records it in the audit log, in the caller's transaction. */
export async function startSession(
  tx: Queryable,
  deps: AuthDeps,
  userId: string,
  method: string,
  device: Device,
): Promise<TokenResponse> {
  const session = await beginSession(tx, deps, userId, method, device)
  await noteSecurityEvent(tx, userId, 'auth.signed_in', session.id, { method, ip: device.ip })
  const tokens = await tokensFor(tx, deps, session)
  if (!tokens) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  return tokens
}
