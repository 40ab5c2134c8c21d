import type { FastifyInstance } from 'fastify'
import { actRoutes } from '#contract/operator/act-routes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { transactInLease } from '../../billing/lease/in-lease.ts'
import { leaseOfPerson } from '../../deletion/deletion.ts'
import { resendByOperator } from '../../team/invite.ts'
import { serveOperator } from '../console/serve.ts'
import { actOnAccount, findCustomer } from './act-on-account.ts'
import { deleteCustomer, exportData, ownerOf, resendVerification } from './people.ts'

const done = { done: true as const }

/** Mails to a customer's people, and their data. */
export function registerPeople(app: FastifyInstance, deps: Deps): void {
  const { kysely } = deps.db
  serveOperator(app, deps, actRoutes.resendInvitation, async ({ ctx, input: { params, body } }) => {
    const account = await findCustomer(kysely, params.id)
    const act = { ...body, action: 'invitation.sent', target: params.invitation }
    await actOnAccount(ctx, account, act, async (tx) => {
      await resendByOperator(tx, deps, account.id, params.invitation)
      return {}
    })
    return done
  })
  serveOperator(app, deps, actRoutes.resendVerification, async ({ ctx, input: { params, body } }) => {
    const account = await findCustomer(kysely, params.id)
    const act = { ...body, action: 'verification.sent', target: params.member }
    await actOnAccount(ctx, account, act, (tx) => resendVerification(tx, deps, account, params.member))
    return done
  })
  serveOperator(app, deps, actRoutes.exportCustomer, async ({ ctx, input: { params, body } }) => {
    const account = await findCustomer(kysely, params.id)
    await actOnAccount(ctx, account, { ...body, action: 'export.started' }, exportData, { whileEnding: true })
    return done
  })
  serveOperator(app, deps, actRoutes.deleteCustomer, async ({ ctx, input: { params, body } }) => {
    const { owner_email, ...act } = body
    const account = await findCustomer(kysely, params.id)
    if (owner_email.trim().toLowerCase() !== account.ownerEmail.toLowerCase())
      throw new AppError('invalid_parameter', 'owner_email: enter the email address of the owner', {
        param: 'owner_email',
      })
    const { userId } = await ownerOf(kysely, account.id)
    await actOnAccount(
      ctx,
      account,
      { ...act, action: 'account.deletion_requested' },
      (tx) => deleteCustomer(tx, deps, account),
      {},
      (run) => transactInLease(deps.db, leaseOfPerson(userId), run),
    )
    return done
  })
}
