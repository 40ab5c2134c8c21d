import type { Selectable } from 'kysely'
import type { Plans } from '../../../db/schema.gen.ts'
import type { EventContext } from '../events/event-context.ts'
import type { SubscriptionFacts } from '../stripe/fetch-subscription.ts'
import { findTaxRate, setSubscriptionRate, type TaxBehavior } from '../stripe/taxes.ts'
import { readAddress } from './account-place.ts'

/**
 * Gives a new subscription the operator's own rate of its customer's country, from its next invoice on: the payment page was made with
 * that of the country before, and may have asked for another one. A later move is applied with the address.
 */
export async function correctRate(
  { tx, stripe }: Pick<EventContext, 'tx' | 'stripe'>,
  accountId: number,
  { id, taxRateIds }: Pick<SubscriptionFacts, 'id' | 'taxRateIds'>,
  { tax_behavior: behavior }: Pick<Selectable<Plans>, 'tax_behavior'>,
): Promise<void> {
  if (stripe.taxes !== 'rates') return
  const address = await readAddress(tx, accountId)
  if (!address) return
  const rate = await findTaxRate(stripe, address, behavior as TaxBehavior | null)
  if ((taxRateIds[0] ?? null) !== rate) await setSubscriptionRate(stripe, id, rate)
}
