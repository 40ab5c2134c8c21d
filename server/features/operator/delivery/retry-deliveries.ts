import { sql } from 'kysely'
import type { DeliveryChannel } from '#contract/operator/delivery-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { retryMails } from '../../../mail/retry-mails.ts'
import { deliverAlerts, requeueAlerts } from '../../billing/alerts/deliver-alerts.ts'
import { processEvents } from '../../billing/events/process-events.ts'
import { reopenEvents } from '../../billing/events/replay-events.ts'
import { resendByOperator } from '../../team/invite.ts'
import type { OperatorContext } from '../console/context.ts'
import { runAct } from '../console/run-act.ts'
import { isIdOf } from './list-deliveries.ts'

interface Request {
  act_id: string
  reason: string
  ids: string[]
}

/**
 * Tries deliveries again at once, whatever became of them: each has its effect once. A mail whose text is gone is written anew, with a
 * new link. Returns how many; 0 for a repeated request.
 */
export async function retryDeliveries(
  ctx: OperatorContext,
  channel: DeliveryChannel,
  { ids: given, ...act }: Request,
): Promise<number> {
  const { deps } = ctx
  const ids = [...new Set(given)].filter((id) => isIdOf(channel, id))
  let retried = 0
  await runAct(ctx, { ...act, action: 'delivery.retried', target: channel }, async (tx) => {
    retried = await requeue[channel](tx, deps, ids)
    return { after: { retried, ids } }
  })
  if (retried > 0) void start(deps, channel)
  return retried
}

const requeue: Record<DeliveryChannel, (tx: Queryable, deps: Deps, ids: string[]) => Promise<number>> = {
  events: (tx, _, ids) => reopenEvents(tx, ids),
  webhooks: (tx, _, ids) => requeueAlerts(tx, ids),
  async mails(tx, deps, ids) {
    let retried = await retryMails(tx, ids)
    const gone = await tx
      .selectFrom('mail_log')
      .select('ref')
      .where('id', 'in', ids.length > 0 ? ids : [null as never])
      .where('kind', '=', 'invitation')
      .where('state', '<>', 'waiting')
      .execute()
    for (const ref of new Set(gone.map((one) => one.ref)))
      if (ref !== null && (await writeAnew(tx, deps, ref))) retried++
    return retried
  },
  async jobs(tx, _, ids) {
    // graphile-worker creates its functions when it first starts.
    const { rows: known } = await sql<{
      ready: boolean
    }>`select to_regclass('graphile_worker.jobs') is not null as ready`.execute(tx)
    if (!known[0]!.ready) return 0
    const { rows } = await sql<{ n: number }>`select count(*)::int as n
      from graphile_worker.reschedule_jobs(${ids}::bigint[], run_at := clock_timestamp(), attempts := 0)`.execute(tx)
    return rows[0]!.n
  },
}

/** Does not wait for the next run of the job that does it anyway. */
async function start(deps: Deps, channel: DeliveryChannel): Promise<void> {
  try {
    if (channel === 'events') await processEvents(deps)
    else if (channel === 'webhooks') await deliverAlerts(deps)
  } catch (error) {
    deps.log.warn({ channel, error: (error as Error).message }, 'deliveries are left for the next run')
  }
}

/** An open invitation is mailed with a new link. One that is closed, or was sent within the last minute, is left as it is. */
async function writeAnew(tx: Queryable, deps: Deps, publicId: string): Promise<boolean> {
  const open = await tx
    .selectFrom('account_invitations')
    .select('account_id')
    .where('public_id', '=', publicId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  if (!open || !deps.mail.enabled) return false
  return resendByOperator(tx, deps, open.account_id, publicId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError) return false
      throw error
    },
  )
}
