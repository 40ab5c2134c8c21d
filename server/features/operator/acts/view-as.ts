import { AppError } from '../../../http/errors.ts'
import { startView } from '../../support-view/start-view.ts'
import { newViewToken } from '../../support-view/view-token.ts'
import type { OperatorContext } from '../console/context.ts'
import type { Act } from '../console/run-act.ts'
import type { FoundAccount } from '../find-account.ts'
import { actOnAccount } from './act-on-account.ts'

export interface StartedView {
  /** Sent once, to the operator's browser. */
  token: string
  expires_at: string
  user_id: string
  owner_email: string
}

/** Starts a view of the customer's dashboard for fifteen minutes. Throws conflict for an act_id that has started one. */
export async function viewAs(
  ctx: OperatorContext,
  account: FoundAccount,
  act: Pick<Act, 'act_id' | 'reason'>,
): Promise<StartedView> {
  const token = newViewToken()
  let started: Awaited<ReturnType<typeof startView>> | undefined
  await actOnAccount(ctx, account, { ...act, action: 'view.started' }, async (tx) => {
    started = await startView(tx, ctx.deps, { accountId: account.id, operatorId: ctx.operator.id, token })
    return { after: { until: started.expiresAt.toISOString() } }
  })
  if (!started) throw new AppError('conflict', 'This view has already been started. Start another one.')
  const { expiresAt, ownerEmail, userId } = started
  return { token, expires_at: expiresAt.toISOString(), user_id: userId, owner_email: ownerEmail }
}
