import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import type { StripeAccess } from '../stripe/client.ts'
import { createCustomer } from '../stripe/subscriptions.ts'

export interface Buyer {
  customerId: string
  accountPublicId: string
}

/**
 * The account's Stripe customer, created when first needed. The caller holds the account's lock, and the account id is
 * the idempotency key, so a repeat returns the same customer.
 */
export async function ensureCustomer(tx: Queryable, stripe: StripeAccess, { actor }: UserContext): Promise<Buyer> {
  const { public_id: accountPublicId } = await tx
    .selectFrom('accounts')
    .select('public_id')
    .where('id', '=', actor.accountId)
    .executeTakeFirstOrThrow()
  const known = await tx
    .selectFrom('billing_customers')
    .select('id')
    .where('account_id', '=', actor.accountId)
    .executeTakeFirst()
  if (known) return { customerId: known.id, accountPublicId }
  const customerId = await createCustomer(stripe, { accountPublicId, email: actor.email })
  await tx
    .insertInto('billing_customers')
    .values({ account_id: actor.accountId, id: customerId, mode: stripe.mode })
    .execute()
  return { customerId, accountPublicId }
}
