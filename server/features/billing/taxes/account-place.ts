import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import type { StripeAccess } from '../stripe/client.ts'
import type { Address, TaxCustomer } from '../stripe/tax-customer.ts'
import { findTaxRate, type TaxBehavior } from '../stripe/taxes.ts'

/** The billing address, as our copy has it. */
export async function readAddress(db: Queryable, accountId: number): Promise<Address | null> {
  const row = await db
    .selectFrom('billing_customers')
    .select('address')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return (row?.address ?? null) as Address | null
}

/**
 * The operator's own rate for what an account buys; null: none applies, or taxes are computed in another way. Throws conflict while
 * the account's country is not known.
 */
export async function rateOfBuyer(
  tx: Queryable,
  stripe: StripeAccess,
  accountId: number,
  behavior: string | null,
): Promise<string | null> {
  if (stripe.taxes !== 'rates') return null
  const address = await readAddress(tx, accountId)
  if (!address)
    throw new AppError('conflict', 'Add your billing address under Billing first. The tax depends on its country.')
  return findTaxRate(stripe, address, behavior as TaxBehavior | null)
}

/** Whether the tax of a customer can be computed. Stripe says failed when it does not know at the moment. */
export const hasTaxLocation = (
  { taxes }: Pick<StripeAccess, 'taxes'>,
  { address, location }: Pick<TaxCustomer, 'address' | 'location'>,
): boolean =>
  taxes === 'off' || (taxes === 'rates' ? address !== null : location !== null && location !== 'unrecognized_location')
