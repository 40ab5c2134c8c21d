import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { assertUrl, assign, type Handler } from '../objects/assign.ts'
import type { Body, Fields } from '../objects/bodies.ts'
import { newId, type Session } from '../objects/session.ts'

export interface PortalFeatures {
  customer_update: { enabled: boolean; allowed_updates: string[] }
  invoice_history: { enabled: boolean }
  payment_method_update: { enabled: boolean }
  subscription_cancel: { enabled: boolean; mode: 'at_period_end' | 'immediately' }
  subscription_update: {
    enabled: boolean
    products: { product: string; prices: string[] }[]
    proration_behavior: 'always_invoice' | 'create_prorations' | 'none'
    billing_cycle_anchor: 'now' | 'unchanged' | null
    schedule_at_period_end: { conditions: { type: string }[] }
  }
}

export interface PortalConfiguration extends Body {
  features: PortalFeatures
  is_default: boolean
  default_return_url: string | null
}

/** How long a portal session can be used, in seconds. */
export const portalSeconds = 3600

function features(given: Fields = {}): Fields {
  const part = (name: string) => (given[name] ?? {}) as Fields
  const conditions = (part('subscription_update').schedule_at_period_end as Fields | undefined)?.conditions
  const products = (part('subscription_update').products || []) as object[]
  return {
    customer_update: { enabled: false, ...part('customer_update') },
    invoice_history: { enabled: false, ...part('invoice_history') },
    payment_method_update: { enabled: false, ...part('payment_method_update') },
    subscription_cancel: {
      enabled: false,
      mode: 'at_period_end',
      proration_behavior: 'none',
      cancellation_reason: { enabled: false, options: [] },
      ...part('subscription_cancel'),
    },
    subscription_pause: { enabled: false, duration: { type: 'indefinite' } },
    subscription_update: {
      enabled: false,
      proration_behavior: 'none',
      trial_update_behavior: 'end_trial',
      ...part('subscription_update'),
      products: products.map((product) => ({
        adjustable_quantity: { enabled: false, minimum: 1, maximum: null },
        ...product,
      })),
      schedule_at_period_end: { conditions: conditions ?? [] },
    },
  }
}

async function create(
  tx: Session,
  params: Stripe.BillingPortal.ConfigurationCreateParams,
  isDefault = false,
): Promise<PortalConfiguration> {
  assertUrl(params, 'default_return_url')
  const configuration = await tx.create<PortalConfiguration>('billing_portal.configuration', 'bpc', {
    active: true,
    features: features(params.features as Fields),
    is_default: isDefault,
    login_page: { enabled: false, url: null },
    updated: tx.now,
  })
  assign(configuration, params, 'business_profile', 'default_return_url', 'metadata', 'name')
  await tx.save(configuration)
  return configuration
}

async function update(tx: Session, params: Stripe.BillingPortal.ConfigurationUpdateParams, id: string): Promise<Body> {
  const configuration = await tx.get<PortalConfiguration>('billing_portal.configuration', id)
  if (params.features)
    configuration.features = features({
      ...configuration.features,
      ...(params.features as Fields),
    }) as unknown as PortalFeatures
  assign(configuration, params, 'active', 'business_profile', 'default_return_url', 'metadata', 'name')
  configuration.updated = tx.now
  await tx.save(configuration)
  return configuration
}

async function open(tx: Session, params: Stripe.BillingPortal.SessionCreateParams): Promise<Body> {
  assertUrl(params, 'return_url')
  const customer = await tx.customer(params.customer ?? '')
  const [found] = await tx.find<PortalConfiguration>('billing_portal.configuration', { is_default: true })
  const basic = {
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    subscription_cancel: { enabled: true },
  }
  const configuration = params.configuration
    ? await tx.get<PortalConfiguration>('billing_portal.configuration', params.configuration, 'configuration')
    : (found ?? (await create(tx, { features: basic }, true)))
  if (!configuration.active) throw invalid('The configuration is not active.', { param: 'configuration' })
  const id = newId('bps')
  return tx.create('billing_portal.session', 'bps', {
    id,
    configuration: configuration.id,
    customer: customer.id,
    return_url: params.return_url ?? configuration.default_return_url,
    url: `${tx.around.publicUrl}/sandbox/portal/${id}`,
    _opened: tx.now,
    _clock: customer.test_clock,
  })
}

export const portalHandlers: Record<string, Handler> = {
  'POST /v1/billing_portal/configurations': (tx, params) => create(tx, params),
  'POST /v1/billing_portal/configurations/{id}': update,
  'POST /v1/billing_portal/sessions': open,
}
