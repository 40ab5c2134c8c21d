import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { askingStripe } from './stripe/failure.ts'
import { endSubscriptionWithBill } from './stripe/subscriptions.ts'

/**
 * Ends the account's subscriptions at once, with a final invoice for pay-as-you-go usage, and turns off automatic
 * top-ups. Repeating it changes nothing. Throws billing_unavailable.
 */
export async function endBilling(
  tx: Queryable,
  { log, stripe }: Pick<Deps, 'log' | 'stripe'>,
  accountId: number,
): Promise<void> {
  await tx.updateTable('auto_topups').set({ enabled: false }).where('account_id', '=', accountId).execute()
  const open = await tx
    .selectFrom('subscriptions')
    .select(['id', 'source'])
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('status', '<>', 'canceled')
    .execute()
  for (const { id, source } of open) {
    if (source === 'stripe' && stripe) await askingStripe(log, () => endSubscriptionWithBill(stripe, id))
    await tx
      .updateTable('subscriptions')
      .set({ status: 'canceled', provider_status: 'canceled', ended_at: sql`app_now()` })
      .where('id', '=', id)
      .execute()
  }
}
