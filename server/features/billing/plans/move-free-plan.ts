import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import type { Buyer } from '../checkout/ensure-customer.ts'
import { lockCustomer } from '../events/event-context.ts'
import type { StripeAccess } from '../stripe/client.ts'
import { addFreeCurrency, createFreeSubscription, endSubscription } from '../stripe/subscriptions.ts'
import { applySubscription } from '../subscriptions/apply-subscription.ts'
import { ENDED } from '../subscriptions/read-subscription.ts'
import { currenciesOf, heldCurrency } from './price-in.ts'
import { endOfMonth } from './redeem-free-plan.ts'

/** The free plan that has not ended at Stripe. */
export const heldFreePlan = (db: Queryable, accountId: number) =>
  db
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.price_id', 's.price_id')
    .select(['s.id', 's.anchor_at as anchor', 'p.product_id', 'p.name', heldCurrency.as('currency')])
    .where('s.account_id', '=', accountId)
    .where('s.source', '=', 'stripe')
    .where('s.status', 'not in', ENDED)
    .where('p.type', '=', 'free')
    .executeTakeFirst()

/**
 * Moves the free plan to the currency of a purchase, because Stripe refuses a customer subscriptions in two currencies. Its month
 * continues, and no credits change. What is free is so in every currency: the price gets one that it lacks. Repeating it changes
 * nothing. `held` is read before the transaction: ending it brings its event, and a run that then sees no free plan would make no
 * new one. Throws conflict when no free plan is offered.
 */
export async function moveFreePlan(
  tx: Queryable,
  { deps }: UserContext,
  stripe: StripeAccess,
  { held, ...buyer }: Buyer & { held: Awaited<ReturnType<typeof heldFreePlan>> },
  currency: string,
): Promise<void> {
  if (!held || held.currency === currency) return
  const own = await tx
    .selectFrom('plans')
    .selectAll()
    .where('active', '=', true)
    .where('type', '=', 'free')
    .orderBy((order) => order('product_id', '=', held.product_id), 'desc')
    .orderBy('position')
    .executeTakeFirst()
  if (!own)
    throw new AppError(
      'conflict',
      `${held.name} is not offered any more, and one workspace cannot have plans in two currencies. Cancel ${held.name} under Manage Billing first, or pay in ${held.currency.toUpperCase()}.`,
    )
  await lockCustomer(tx, buyer.customerId)
  if (!currenciesOf(own).includes(currency)) await addFreeCurrency(stripe, own.price_id, currency)
  await endSubscription(stripe, held.id)
  const id = await createFreeSubscription(stripe, {
    ...buyer,
    priceId: own.price_id,
    currency: own.currency === currency ? null : currency,
    after: held.id,
    renewsAt: await endOfMonth(tx, held),
  })
  const { log, mail, secrets, config } = deps
  for (const each of [held.id, id]) await applySubscription({ tx, stripe, log, mail, secrets, config }, each)
}
