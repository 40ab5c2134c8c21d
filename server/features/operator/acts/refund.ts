import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { type RefundState, sendRefund } from '../../billing/refunds/send-refund.ts'
import { type StartedRefund, startRefund } from '../../billing/refunds/start-refund.ts'
import type { OperatorContext } from '../console/context.ts'
import { type Act, COMMAND_LINE, logAct } from '../console/run-act.ts'
import type { FoundAccount } from '../find-account.ts'
import { actOnAccount } from './act-on-account.ts'

type Given = Pick<Act, 'act_id' | 'reason'>

/**
 * Refunds `cents` of an invoice. The act is noted first, then the payment provider is asked: after billing_unavailable the same act can
 * be sent again, and stays one refund. `keepsCredits`: burned credits that the customer may keep. `refundedCents`: as the form showed it.
 */
export async function refund(
  ctx: OperatorContext,
  account: FoundAccount,
  { act_id, reason }: Given,
  asked: { invoiceId: string; cents: number; keepsCredits: number; refundedCents: number | undefined },
): Promise<RefundState> {
  const { invoiceId, cents } = asked
  const act = { act_id, reason, action: 'refund.started', target: invoiceId, cents }
  await actOnAccount(
    ctx,
    account,
    act,
    async (tx) => {
      const { before, after } = await startRefund(tx, {
        ...asked,
        actId: act_id,
        accountId: account.id,
        operator: ctx.operator.email,
      })
      return { before, after: { ...after, cents } }
    },
    { whileEnding: true },
  )
  return send(ctx, account, act_id)
}

/** Sends a refund again that the payment provider has not answered. Throws not_found, and as sendRefund does. */
export async function sendRefundAgain(
  ctx: OperatorContext,
  account: FoundAccount,
  act: Given,
  refundId: string,
): Promise<RefundState> {
  const known = await ctx.deps.db.kysely
    .selectFrom('refunds')
    .select('state')
    .where('act_id', '=', refundId)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  if (!known) throw new AppError('not_found', 'This customer has no such refund.')
  await actOnAccount(ctx, account, { ...act, action: 'refund.sent_again', target: refundId }, async () => ({}), {
    whileEnding: true,
  })
  return send(ctx, account, refundId)
}

/** That a refund failed at once is in the log of the operator who started it. */
async function send({ deps }: OperatorContext, account: FoundAccount, refundId: string): Promise<RefundState> {
  const before = await stateOf(deps.db.kysely, refundId)
  try {
    return (await sendRefund(deps, refundId)).state
  } finally {
    const { state, error, cents, operator, invoice_id } = await stateOf(deps.db.kysely, refundId)
    if (before.state === 'unsent' && state === 'failed')
      await logAct(
        deps.db.kysely,
        operator,
        {
          action: 'refund.failed',
          account,
          target: invoice_id,
          reason: 'Reported by the payment provider.',
        },
        { after: { cents, error } },
      )
  }
}

const stateOf = (db: Queryable, refundId: string) =>
  db
    .selectFrom('refunds')
    .select(['state', 'error', 'cents', 'operator', 'invoice_id'])
    .where('act_id', '=', refundId)
    .executeTakeFirstOrThrow()

/** The entry of a refund from the command line. */
export async function logRefund(
  tx: Queryable,
  act: Given & { target: string },
  { cents, before, after }: StartedRefund,
): Promise<void> {
  const account = await tx
    .selectFrom('invoices as i')
    .innerJoin('accounts as a', 'a.id', 'i.account_id')
    .select(['a.public_id as publicId', 'a.name'])
    .where('i.id', '=', act.target)
    .executeTakeFirstOrThrow()
  await logAct(
    tx,
    COMMAND_LINE,
    { ...act, action: 'refund.started', cents, account },
    { before, after: { ...after, cents } },
  )
}
