import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'

/** Throws conflict when the account has a paid plan that has not ended, even with a late payment. */
export async function refuseSecondPlan(tx: Queryable, accountId: number, wantedPriceId: string): Promise<void> {
  const held = await tx
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.price_id', 's.price_id')
    .select(['p.price_id', 'p.name'])
    .where('s.account_id', '=', accountId)
    .where('p.type', '=', 'paid')
    .where('s.status', 'in', ['active', 'past_due', 'unpaid', 'paused', 'incomplete'])
    .executeTakeFirst()
  if (!held) return
  throw new AppError(
    'conflict',
    held.price_id === wantedPriceId
      ? `You are already on ${held.name}.`
      : `You are subscribed to ${held.name}. Change or cancel it under Manage Billing.`,
  )
}
