import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { bearerToken } from '../../http/session-guard.ts'
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
  serve(app, deps, routes.listWorkspaces, async ({ ctx: { actor } }) => ({
    workspaces: actor.isView
      ? [await readWorkspace(db, actor.userId, actor.accountId)]
      : await listWorkspaces(db, actor.userId),
  }))
  serve(app, deps, routes.listAudit, ({ ctx, input }) => listAudit(ctx, input.query))
}
