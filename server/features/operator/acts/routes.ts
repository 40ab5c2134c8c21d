import type { FastifyInstance } from 'fastify'
import { actRoutes } from '#contract/operator/act-routes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { OperatorContext } from '../console/context.ts'
import type { Act, Change } from '../console/run-act.ts'
import { serveOperator } from '../console/serve.ts'
import { actOnAccount, findCustomer, type Work } from './act-on-account.ts'
import { endSessions } from './end-sessions.ts'
import { grant } from './grant.ts'
import { addNote } from './note.ts'
import { registerPeople } from './people-routes.ts'
import { readActState } from './read-act-state.ts'
import { registerRefunds } from './refund-routes.ts'
import { setPlan } from './set-plan.ts'
import { setRateLimit } from './set-rate-limit.ts'
import { suspend } from './suspend.ts'
import { takeBack } from './take-back.ts'
import { viewAs } from './view-as.ts'

interface Call {
  ctx: OperatorContext
  input: { params: { id: string }; body: { act_id: string; reason: string } }
}
const done = { done: true as const }

/** Acts on a customer, from their page. */
export function registerActs(app: FastifyInstance, deps: Deps): void {
  const act = async (
    { ctx, input: { params, body } }: Call,
    given: Pick<Act, 'action' | 'credits' | 'target'> & { whileEnding?: boolean },
    work: Work<Change>,
  ) => {
    const { whileEnding = false, ...rest } = given
    const account = await findCustomer(deps.db.kysely, params.id)
    const { act_id, reason } = body
    await actOnAccount(ctx, account, { act_id, reason, ...rest }, work, { whileEnding })
    return done
  }
  serveOperator(app, deps, actRoutes.readActState, async ({ input }) =>
    readActState(deps.db, await findCustomer(deps.db.kysely, input.params.id)),
  )
  serveOperator(app, deps, actRoutes.grantCredits, (call) => {
    const { credits, act_id } = call.input.body
    return act(call, { action: 'credits.granted', credits }, (tx, account) => grant(tx, account, credits, act_id))
  })
  serveOperator(app, deps, actRoutes.takeBackCredits, (call) => {
    const { credits } = call.input.body
    return act(call, { action: 'credits.voided', credits }, (tx, account) =>
      takeBack(tx, account, credits, { exactly: true }),
    )
  })
  serveOperator(app, deps, actRoutes.suspendCustomer, (call) =>
    act(call, { action: 'account.suspended' }, (tx, account) => suspend(tx, account, true)),
  )
  serveOperator(app, deps, actRoutes.resumeCustomer, (call) =>
    act(call, { action: 'account.resumed' }, (tx, account) => suspend(tx, account, false)),
  )
  serveOperator(app, deps, actRoutes.setCustomerLimits, (call) =>
    act(call, { action: 'limits.changed' }, (tx, account) =>
      setRateLimit(tx, account, call.input.body.requests_per_minute),
    ),
  )
  serveOperator(app, deps, actRoutes.endCustomerSessions, (call) => {
    if (deps.config.AUTH_URL)
      throw new AppError('conflict', 'Another service handles sign-in (AUTH_URL). End the sessions there.')
    return act(call, { action: 'sessions.ended', whileEnding: true }, endSessions)
  })
  serveOperator(app, deps, actRoutes.addCustomerNote, (call) =>
    act(call, { action: 'note.added', whileEnding: true }, (tx, account) =>
      addNote(tx, account, call.ctx.operator.email, call.input.body.note),
    ),
  )
  serveOperator(app, deps, actRoutes.setCustomerPlan, (call) =>
    act(call, { action: 'plan.set' }, (tx, account) => setPlan(tx, account, call.input.body.plan)),
  )
  serveOperator(app, deps, actRoutes.viewAs, async ({ ctx, input: { params, body } }) =>
    viewAs(ctx, await findCustomer(deps.db.kysely, params.id), body),
  )
  registerPeople(app, deps)
  registerRefunds(app, deps)
}
