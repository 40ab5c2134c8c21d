import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { AppError } from '../../http/errors.ts'
import { bearerToken } from '../../http/session-guard.ts'
import { isUuid } from '../../http/uuid.ts'
import { endSession } from '../auth/sessions/end-session.ts'
import { listSessions } from '../auth/sessions/list-sessions.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { listAudit } from './list-audit.ts'
import { listWorkspaces, readWorkspace } from './list-workspaces.ts'
import { readProfile } from './profile.ts'

export async function registerAccount(app: FastifyInstance, deps: Deps): Promise<void> {
  const db = deps.db.kysely
  serve(app, deps, routes.getProfile, async ({ ctx: { actor } }) => ({
    user: await readProfile(db, actor.userId),
    workspace: await readWorkspace(db, actor.userId, actor.accountId),
  }))
  serve(app, deps, routes.completeSignIn, async ({ input, request }) => ({
    user: await completeSignIn(deps, input.body.access_token ?? bearerToken(request)),
  }))
  serve(app, deps, routes.listSessions, async ({ ctx: { actor } }) => ({
    sessions: deps.config.AUTH_URL ? null : await listSessions(db, actor.userId, actor.sessionId),
  }))
  serve(app, deps, routes.endSession, async ({ ctx: { actor }, input }) => {
    // Another service that does the sign-in has the sessions, too.
    const { id } = input.params
    const ended = !deps.config.AUTH_URL && isUuid(id) && (await endSession(db, actor.userId, id))
    if (!ended) throw new AppError('not_found', 'You have no session with this ID. It may have ended.')
    return { id, ended }
  })
  serve(app, deps, routes.listWorkspaces, async ({ ctx: { actor } }) => ({
    workspaces: actor.isView
      ? [await readWorkspace(db, actor.userId, actor.accountId)]
      : await listWorkspaces(db, actor.userId),
  }))
  serve(app, deps, routes.listAudit, ({ ctx, input }) => listAudit(ctx, input.query))
}
