import type { TaxDetails } from '#contract/tax-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Address } from '../stripe/tax-customer.ts'
import { hasTaxLocation } from './account-place.ts'

/** The account's billing address and tax IDs, as our copy has them. */
export async function readTaxDetails(
  db: Queryable,
  { stripe }: Pick<Deps, 'stripe'>,
  accountId: number,
): Promise<TaxDetails> {
  const taxes = stripe?.taxes ?? 'off'
  const customer = await db
    .selectFrom('billing_customers')
    .select(['name', 'address', 'tax_location'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const taxIds = await db
    .selectFrom('tax_ids')
    .select(['id', 'type', 'value', 'state'])
    .where('account_id', '=', accountId)
    .orderBy('added_at')
    .orderBy('id')
    .execute()
  const address = (customer?.address ?? null) as Address | null
  return {
    taxes,
    name: customer?.name ?? null,
    address,
    located: hasTaxLocation({ taxes }, { address, location: customer?.tax_location ?? null }),
    taxIds: taxIds as TaxDetails['taxIds'],
  }
}
