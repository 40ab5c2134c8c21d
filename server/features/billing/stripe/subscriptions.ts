import type { StripeAccess } from './client.ts'

/**
 * Creates the $0 subscription of the free plan, without a card. Idempotent per account, price and preceding
 * subscription. `renewsAt`: its first period is the rest of a month that started earlier.
 */
export async function createFreeSubscription(
  { client }: StripeAccess,
  given: {
    customerId: string
    accountPublicId: string
    priceId: string
    /** Null: the price's own. */
    currency: string | null
    after?: string
    renewsAt: Date | null
  },
): Promise<string> {
  const { accountPublicId, priceId, currency, after, renewsAt } = given
  const made = await client.subscriptions.create(
    {
      customer: given.customerId,
      items: [{ price: priceId, quantity: 1 }],
      ...(currency && { currency }),
      payment_behavior: 'error_if_incomplete',
      metadata: { finmeter_account: accountPublicId },
      ...(renewsAt && {
        billing_cycle_anchor: Math.ceil(renewsAt.getTime() / 1000),
        proration_behavior: 'none' as const,
      }),
    },
    { idempotencyKey: ['free', accountPublicId, priceId, after].filter(Boolean).join(':') },
  )
  return made.id
}

/** Lets a free price be had in one more currency, for nothing. */
export async function addFreeCurrency({ client }: StripeAccess, priceId: string, currency: string): Promise<void> {
  await client.prices.update(priceId, { currency_options: { [currency]: { unit_amount: 0 } } })
}

/** Ends a subscription at once, without credit for unused time. An ended one is left alone. */
export async function endSubscription({ client }: StripeAccess, id: string): Promise<void> {
  const found = await client.subscriptions.retrieve(id)
  if (found.ended_at === null) await client.subscriptions.cancel(id, { prorate: false })
}

/** Ends a subscription at once and bills usage that is not billed yet. An ended one is left alone. */
export async function endSubscriptionWithBill({ client }: StripeAccess, id: string): Promise<void> {
  const found = await client.subscriptions.retrieve(id)
  if (found.ended_at === null) await client.subscriptions.cancel(id, { prorate: false, invoice_now: true })
}

/** Ends a trial at once: the first period is charged. */
export async function endTrial({ client }: StripeAccess, id: string): Promise<void> {
  await client.subscriptions.update(
    id,
    { trial_end: 'now', proration_behavior: 'none' },
    { idempotencyKey: `trialend:${id}` },
  )
}

/** Creates an account's customer; repeating the call returns the same one. */
export async function createCustomer(
  { client }: StripeAccess,
  given: { accountPublicId: string; email: string },
): Promise<string> {
  const email = given.email || undefined
  const made = await client.customers.create(
    { ...(email && { email }), metadata: { finmeter_account: given.accountPublicId } },
    { idempotencyKey: `cus:${given.accountPublicId}` },
  )
  return made.id
}
