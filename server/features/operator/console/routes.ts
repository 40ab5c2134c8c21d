import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { operatorRoutes } from '#contract/operator/routes.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { bearerToken } from '../../../http/session-guard.ts'
import { endOverViews } from '../../support-view/end-view.ts'
import type { OperatorContext } from './context.ts'
import { clearCookie, csrfTokenOf, hashOf, newSecret, readCookie, setCookie } from './cookie.ts'
import { mailEntryLink } from './entry-link.ts'
import { isHttps } from './find-session.ts'
import { listLog } from './list-log.ts'
import { letFactors, listOperators, lockOperators, removeOperator, setOperator } from './manage-operators.ts'
import { openOperatorSession } from './open-session.ts'
import { requireSameRole, runAct } from './run-act.ts'
import { serveOperator } from './serve.ts'

const entryBody = z.object({ code: z.string().max(100).nullable() }).catch({ code: null })

/** The door of the console, the operators and their log. */
export function registerConsole(app: FastifyInstance, deps: Deps): void {
  // The one request with a customer's token: it exchanges a sign-in for a session of the console.
  app.post('/operator/session', async (request, reply) => {
    const https = isHttps(deps)
    const secret = newSecret()
    const { code } = entryBody.parse(request.body)
    const enter = async () =>
      openOperatorSession(deps, bearerToken(request), secret, { replaced: readCookie(request, https), code })
    const opened = await enter().catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'unauthorized') return false
      throw error
    })
    if (!opened) return reply.callNotFound()
    setCookie(reply, secret, https)
    return reply.header('cache-control', 'private, no-store').send({ success: true, data: { opened: true } })
  })
  serveOperator(app, deps, operatorRoutes.getSession, ({ ctx: { operator, session } }) => ({
    email: operator.email,
    role: operator.role,
    shop_name: deps.shop.current().name,
    csrf_token: csrfTokenOf(session.secret),
    expires_at: session.expiresAt.toISOString(),
    second_factor: session.secondFactor,
  }))
  serveOperator(app, deps, operatorRoutes.endSession, async ({ ctx, reply }) => {
    await deps.db.kysely.deleteFrom('operator_sessions').where('hash', '=', hashOf(ctx.session.secret)).execute()
    await endOverViews(deps.db)
    clearCookie(reply, isHttps(deps))
    return { ended: true as const }
  })
  serveOperator(app, deps, operatorRoutes.listOperators, async () => ({
    operators: await listOperators(deps.db.kysely),
  }))
  serveOperator(app, deps, operatorRoutes.addOperator, async ({ ctx, input: { body } }) => {
    const { email, role, ...act } = body
    await runAct(ctx, { ...act, action: 'operator.set', target: email }, async (tx) => {
      await lockAsOwner(tx, ctx)
      const known = (await listOperators(tx)).find((one) => one.email === email.toLowerCase())
      const set = await setOperator(tx, { email, role, addedBy: ctx.operator.email })
      await mailEntryLink(tx, deps, set.email)
      return { ...(known && { before: { role: known.role } }), after: { role: set.role } }
    })
    const operators = await listOperators(deps.db.kysely)
    return { operator: operators.find((one) => one.email === email.toLowerCase())! }
  })
  serveOperator(app, deps, operatorRoutes.removeOperator, async ({ ctx, input: { params, body } }) => {
    await runAct(ctx, { ...body, action: 'operator.removed', target: String(params.id) }, async (tx) => {
      await lockAsOwner(tx, ctx)
      const { email, role } = await removeOperator(tx, params.id)
      return { before: { email, role } }
    })
    return { removed: true as const }
  })
  serveOperator(app, deps, operatorRoutes.trustFactor, async ({ ctx, input: { params, body } }) => {
    // Nobody vouches for themselves: a stolen session would let its own factor count.
    if (params.id === ctx.operator.id)
      throw new AppError('forbidden', 'Another owner has to do this for you, or the command line.')
    const found = (await listOperators(deps.db.kysely)).find(({ id }) => id === params.id)
    if (!found) throw new AppError('not_found', 'There is no such operator.')
    await runAct(ctx, { ...body, action: 'operator.factor_trusted', target: found.email }, async (tx) => {
      await lockAsOwner(tx, ctx)
      const { numAffectedRows } = await letFactors(tx, params.id)
      if (!numAffectedRows) throw new AppError('not_found', 'There is no such operator.')
      return {}
    })
    return { trusted: true as const }
  })
  serveOperator(app, deps, operatorRoutes.listLog, ({ input: { query } }) => listLog(deps.db.kysely, query))
}

/** Owners who change each other at once: the one who was removed first changes nobody. */
async function lockAsOwner(tx: Queryable, ctx: OperatorContext): Promise<void> {
  await lockOperators(tx)
  await requireSameRole(tx, ctx)
}
