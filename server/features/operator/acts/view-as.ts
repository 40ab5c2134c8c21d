import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { startView } from '../../support-view/start-view.ts'
import { newViewToken } from '../../support-view/view-token.ts'
import type { OperatorContext } from '../console/context.ts'
import { hashOf } from '../console/cookie.ts'
import type { Act } from '../console/run-act.ts'
import type { FoundAccount } from '../find-account.ts'
import { actFromCommandLine, actOnAccount } from './act-on-account.ts'

export interface StartedView {
  /** Sent once, to the operator's browser. */
  token: string
  expires_at: string
  user_id: string
  owner_email: string
}

/** Starts a view of the customer's dashboard for fifteen minutes, or until the console's session ends. Throws conflict for an act_id that has started one. */
export async function viewAs(
  ctx: OperatorContext,
  account: FoundAccount,
  act: Pick<Act, 'act_id' | 'reason'>,
): Promise<StartedView> {
  const token = newViewToken()
  let started: Awaited<ReturnType<typeof startView>> | undefined
  await actOnAccount(ctx, account, { ...act, action: 'view.started' }, async (tx) => {
    const consoleSession = hashOf(ctx.session.secret)
    started = await startView(tx, ctx.deps, {
      accountId: account.id,
      operatorId: ctx.operator.id,
      token,
      consoleSession,
    })
    return { after: { until: started.expiresAt.toISOString() } }
  })
  if (!started) throw new AppError('conflict', 'This view has already been started. Start another one.')
  const { expiresAt, ownerEmail, userId } = started
  return { token, expires_at: expiresAt.toISOString(), user_id: userId, owner_email: ownerEmail }
}

/**
 * The same from the command line, for an operator who may view: it ends when they lose that role. Returns the address that opens it, with
 * the token in the fragment, which browsers keep to themselves. Throws not_found for another address.
 */
export async function viewFromCommandLine(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'mail'>,
  named: string,
  operatorEmail: string,
  reason: string,
): Promise<string> {
  const operator = await deps.db.kysely
    .selectFrom('operators')
    .select('id')
    .where('email', '=', operatorEmail.toLowerCase())
    .where('role', 'in', ['owner', 'support'])
    .executeTakeFirst()
  if (!operator) throw new AppError('not_found', `No operator with the role owner or support is ${operatorEmail}.`)
  const token = newViewToken()
  const act = { action: 'view.started', reason, target: operatorEmail.toLowerCase() }
  const view = await actFromCommandLine(deps.db, named, act, async (tx, account) => {
    const { expiresAt, ...owner } = await startView(tx, deps, {
      accountId: account.id,
      operatorId: operator.id,
      token,
      consoleSession: null,
    })
    const expires = expiresAt.toISOString()
    return { after: { until: expires }, owner, expires, account }
  })
  const { owner, expires, account } = view!
  const opened = {
    token,
    expiresAt: expires,
    userId: owner.userId,
    email: owner.ownerEmail,
    accountId: account.publicId,
    name: account.name,
    back: '/',
  }
  return `${deps.config.PUBLIC_URL}/auth/enter#view=${encodeURIComponent(JSON.stringify(opened))}`
}
