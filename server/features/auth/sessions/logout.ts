import type { FastifyInstance } from 'fastify'
import { noteSecurityEvent } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { clearFlows } from '../providers/flows.ts'
import { query } from '../request-input.ts'
import { type CurrentUser, currentUser } from './current-user.ts'

const SCOPES = ['global', 'local', 'others'] as const
type Scope = (typeof SCOPES)[number]

/** Clients with an expired token believe that they signed out, so their session must really end. */
const EXPIRED_UP_TO_SECONDS = 86_400

/** POST /logout?scope=global|local|others */
export function registerLogout(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/logout', async (request, reply) => {
    const wanted = query(request).get('scope') ?? 'global'
    const known = SCOPES.find((name) => name === wanted)
    if (!known)
      throw new AuthError(400, 'validation_failed', `Unsupported logout scope ${JSON.stringify(wanted.slice(0, 40))}`)
    await endSessions(deps, await currentUser(deps, request, { expiredUpToSeconds: EXPIRED_UP_TO_SECONDS }), known)
    return reply.code(204).send()
  })
}

/** A session that did not verify the user's second factor ends itself and others like it, never one that did. */
async function endSessions(
  { db }: AuthDeps,
  { userId, sessionId, aal, enrolled }: CurrentUser,
  scope: Scope,
): Promise<void> {
  const weak = enrolled && aal === 'aal1'
  if (weak && scope === 'others')
    throw new AuthError(403, 'insufficient_aal', 'Enter the code of your second factor to sign out other sessions.')
  await db.kysely.transaction().execute(async (tx) => {
    await tx
      .deleteFrom('auth.sessions')
      .where('user_id', '=', userId)
      .$if(scope === 'local', (sessions) => sessions.where('id', '=', sessionId))
      .$if(scope === 'others', (sessions) => sessions.where('id', '!=', sessionId))
      .$if(weak, (sessions) => sessions.where('aal', '=', 'aal1'))
      .execute()
    if (scope !== 'local') await clearFlows(tx, userId)
    await noteSecurityEvent(tx, userId, 'auth.signed_out', sessionId, { scope })
  })
}
