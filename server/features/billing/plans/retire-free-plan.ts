import { sql } from 'kysely'
import type { EventContext } from '../events/event-context.ts'
import { endSubscription } from '../stripe/subscriptions.ts'

/** Ends the account's free plan because a paid one replaced it. Its credits stay until they expire. */
export async function retireFreePlan({ tx, stripe, step }: EventContext, accountId: number): Promise<void> {
  const free = await tx
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.price_id', 's.price_id')
    .select(['s.id', 's.source'])
    .where('s.account_id', '=', accountId)
    .where('s.status', '=', 'active')
    .where('p.type', '=', 'free')
    .execute()
  for (const { id, source } of free) {
    if (source === 'stripe') await endSubscription(stripe, id)
    step?.('free plan ended at Stripe')
    await tx
      .updateTable('subscriptions')
      .set({ status: 'canceled', provider_status: 'canceled', ended_at: sql`coalesce(ended_at, app_now())` })
      .where('id', '=', id)
      .execute()
  }
}
