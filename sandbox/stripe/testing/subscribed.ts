import type Stripe from 'stripe'
import { customerWith, seconds } from './harness.ts'

/** A customer on a new test clock, with one subscription. */
export async function subscribed(
  stripe: Stripe,
  price: Stripe.Price,
  card: string | null,
  extra: Partial<Stripe.SubscriptionCreateParams> = {},
) {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: seconds('2026-11-01T00:00:00Z') })
  const customer = await customerWith(stripe, card, { test_clock: clock.id })
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    ...extra,
  })
  const to = (iso: string) => stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: seconds(iso) })
  const now = () => stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  const invoices = async () => (await stripe.invoices.list({ customer: customer.id, limit: 100 })).data
  return {
    clock,
    customer,
    subscription,
    to,
    now,
    invoices,
    item: subscription.items.data[0] as Stripe.SubscriptionItem,
  }
}
