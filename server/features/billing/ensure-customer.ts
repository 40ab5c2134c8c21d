import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import type { StripeAccess } from './stripe/client.ts'
import { createCustomer } from './stripe/subscriptions.ts'

export interface Buyer {
  customerId: string
  accountPublicId: string
}

/**
 * The customer at Stripe that stands for the account, made at the first need. The caller holds the account's lock, and
 * the account's own id makes Stripe answer the same customer to a repeat: there is never a second one.
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
