import type { Subscription } from '#contract/billing.ts'
import type { Queryable } from '../../../db/database.ts'
import { sayableTax } from '../plans/list-plans.ts'
import { heldCurrency, heldPriceCents, heldUnitAmount } from '../plans/price-in.ts'

/** Stripe's statuses for a subscription that is over. */
export const ENDED = ['canceled', 'incomplete_expired']

/** The account's subscriptions that have not ended: active ones first, then paid before free, then newest first. */
async function listSubscriptions(db: Queryable, accountId: number, ownRates: boolean): Promise<Subscription[]> {
  const rows = await db
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.price_id', 's.price_id')
    .leftJoin('plans as next', 'next.price_id', 's.pending_price_id')
    .select([
      's.id',
      's.status',
      's.provider_status',
      's.current_period_end',
      's.anchor_at',
      's.trial_end',
      's.cancels_at',
    ])
    .select(['next.price_id as next_price_id', 'next.name as next_name'])
    .select([
      'p.price_id',
      'p.product_id',
      'p.name',
      'p.type',
      'p.interval',
      'p.credits',
      'p.metadata',
      'p.tax_behavior',
    ])
    .select([heldCurrency.as('currency'), heldPriceCents.as('price_cents'), heldUnitAmount.as('unit_amount_decimal')])
    .where('s.account_id', '=', accountId)
    .where('s.status', 'not in', ENDED)
    .orderBy((order) => order('s.status', '=', 'active'), 'desc')
    .orderBy((order) => order('p.type', '=', 'paid'), 'desc')
    .orderBy('s.anchor_at', 'desc')
    .execute()
  return rows.map((row) => {
    const interval = row.interval as 'month' | 'year'
    const price = { id: row.price_id, nickname: row.name, currency: row.currency, product: row.product_id }
    const metered = (row.metadata as Record<string, string>).type === 'payg'
    return {
      id: row.id,
      status: row.status,
      plan_type: row.type as 'free' | 'paid',
      plan_id: row.price_id,
      plan: { ...price, name: row.name, amount: row.price_cents, interval, credits_included: row.credits },
      items: {
        data: [
          {
            price: {
              ...price,
              unit_amount: metered ? null : row.price_cents,
              unit_amount_decimal: row.unit_amount_decimal,
              recurring: { interval },
            },
          },
        ],
      },
      currency: row.currency,
      current_period_end: seconds(row.current_period_end),
      trial_end: row.provider_status === 'trialing' && row.trial_end ? seconds(row.trial_end) : null,
      cancels_at: row.cancels_at && seconds(row.cancels_at),
      pending_change:
        row.next_price_id !== null && row.next_name !== null
          ? { priceId: row.next_price_id, name: row.next_name }
          : null,
      ...(ownRates && row.type === 'paid' && { fixed_tax_behavior: sayableTax(row.tax_behavior) }),
      provider_status: row.provider_status,
    }
  })
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** The current subscription, with all others; null when there is none or all have ended. `ownRates`: taxes are those of the operator's own rates. */
export async function readSubscription(
  db: Queryable,
  accountId: number,
  ownRates = false,
): Promise<{ subscription: Subscription | null; subscriptions: Subscription[] }> {
  const subscriptions = await listSubscriptions(db, accountId, ownRates)
  return { subscription: subscriptions[0] ?? null, subscriptions }
}
