import type Stripe from 'stripe'
import type { StripeAccess } from './client.ts'

/** The prices, by product, that the portal lets a customer change to. */
export interface PortalOffer {
  productId: string
  priceIds: string[]
}

/** Creates or updates the portal configuration and returns its id. */
export async function configurePortal(
  { client, taxes }: StripeAccess,
  known: string | null,
  offers: PortalOffer[],
): Promise<string> {
  const features: Stripe.BillingPortal.ConfigurationCreateParams.Features = {
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    ...(taxes !== 'off' && {
      customer_update: { enabled: true, allowed_updates: ['address', 'name', 'tax_id'] as const satisfies string[] },
    }),
    subscription_cancel: {
      enabled: true,
      mode: 'at_period_end',
      cancellation_reason: { enabled: true, options: ['too_expensive', 'missing_features', 'unused', 'other'] },
    },
    // An update leaves out nothing: what a configuration does not name stays as it was.
    subscription_update:
      offers.length === 0
        ? { enabled: false }
        : {
            enabled: true,
            default_allowed_updates: ['price'],
            // An upgrade is paid and starts at once. A downgrade waits for the end of the paid period.
            proration_behavior: 'always_invoice',
            billing_cycle_anchor: 'now',
            schedule_at_period_end: {
              conditions: [{ type: 'decreasing_item_amount' }, { type: 'shortening_interval' }],
            },
            products: offers.map(({ productId, priceIds }) => ({ product: productId, prices: priceIds })),
          },
  }
  if (known !== null) return (await client.billingPortal.configurations.update(known, { features })).id
  return (await client.billingPortal.configurations.create({ features })).id
}

export async function openPortalSession(
  { client }: StripeAccess,
  given: { customerId: string; configurationId: string; returnUrl: string },
): Promise<string> {
  const session = await client.billingPortal.sessions.create({
    customer: given.customerId,
    configuration: given.configurationId,
    return_url: given.returnUrl,
  })
  return session.url
}
