import type Stripe from 'stripe'
import { cardError, invalid } from '../api/errors.ts'
import { mergeMetadata, pick } from '../objects/assign.ts'
import { type Body, type Invoice, type Item, type Price, publicBody, type Subscription } from '../objects/bodies.ts'
import { paymentMethod, preferredMethod } from '../objects/cards.ts'
import { refusal } from '../objects/payments.ts'
import { newId, type Session } from '../objects/session.ts'
import { locationInvalid, placeOf } from '../tax/location.ts'
import { readRates } from '../tax/rates.ts'
import { assertTaxReady } from '../tax/settings.ts'
import { assertOneCurrency, optionOf } from './currency.ts'
import { draft, finalize } from './invoices.ts'
import { cycleLines, firstEnd } from './lines.ts'
import { collect } from './pay-invoice.ts'
import { saveSubscription } from './save-subscription.ts'

export interface ItemParams {
  id?: string
  price?: string
  quantity?: number
  metadata?: unknown
  tax_rates?: string[] | ''
}

/** The active recurring price of an item. */
export async function recurringPrice(tx: Session, params: ItemParams, name: string): Promise<Price> {
  const price = await tx.get<Price>('price', params.price ?? '', `${name}[price]`)
  if (!price.recurring)
    throw invalid(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      { param: name },
    )
  if (!price.active)
    throw invalid('The price specified is inactive. This field only accepts active prices.', { param: name })
  if (price.recurring.usage_type === 'metered' && params.quantity !== undefined) {
    throw invalid('You cannot set the quantity of a metered price.', { param: `${name}[quantity]` })
  }
  return price
}

async function newItem(tx: Session, subscription: string, params: ItemParams): Promise<Item> {
  const price = await recurringPrice(tx, params, 'items[0]')
  const quantity = price.recurring?.usage_type === 'metered' ? {} : { quantity: params.quantity ?? 1 }
  const rates = await readRates(tx, params.tax_rates, 'items[0][tax_rates]')
  const period = { current_period_start: tx.now, current_period_end: tx.now }
  return {
    id: newId('si'),
    object: 'subscription_item',
    created: tx.now,
    price,
    subscription,
    metadata: mergeMetadata({}, params.metadata),
    ...quantity,
    ...period,
    ...(rates && { tax_rates: rates }),
  } as Item
}

interface Options {
  /**
   * The customer is on the checkout page, where the bank can ask for authentication; `authenticated` means that it
   * succeeded.
   */
  onSession?: boolean
  authenticated?: boolean
}

/** Creates a subscription with its first invoice, which is collected according to `payment_behavior`. */
export async function subscribe(
  tx: Session,
  params: Stripe.SubscriptionCreateParams,
  options: Options = {},
): Promise<Subscription> {
  const customer = await tx.customer(params.customer ?? '')
  if (!params.items?.length)
    throw invalid('Missing required param: items.', { code: 'parameter_missing', param: 'items' })
  if (params.items.length > 1) throw invalid('A subscription has one item in the sandbox.', { param: 'items' })
  const method = params.default_payment_method
    ? await paymentMethod(tx, params.default_payment_method, 'default_payment_method')
    : null
  const id = newId('sub')
  const item = await newItem(tx, id, params.items[0] as ItemParams)
  const currency = params.currency?.toLowerCase() ?? item.price.currency
  optionOf(item.price, currency, 'items[0][price]')
  await assertOneCurrency(tx, customer.id, currency)
  const automatic = params.automatic_tax?.enabled ?? false
  if (automatic) await assertTaxReady(tx)
  if (automatic && !placeOf(customer)) throw locationInvalid()
  const rates = await readRates(tx, params.default_tax_rates, 'default_tax_rates')
  const issuers = params.invoice_settings?.account_tax_ids || []
  const trial = params.trial_period_days ? tx.now + params.trial_period_days * 86_400 : null
  const anchor = trial ?? params.billing_cycle_anchor ?? tx.now
  const end =
    trial ??
    (params.billing_cycle_anchor && params.billing_cycle_anchor > tx.now
      ? params.billing_cycle_anchor
      : firstEnd(item.price, anchor))
  item.current_period_end = end
  const cancelAt =
    typeof params.cancel_at === 'number'
      ? params.cancel_at
      : params.cancel_at_period_end || params.cancel_at
        ? end
        : null
  const subscription = await tx.create<Subscription>('subscription', 'sub', {
    id,
    customer: customer.id,
    currency,
    status: trial ? 'trialing' : 'active',
    items: {
      object: 'list',
      data: [{ ...item, plan: { ...item.price, ...item.price.recurring, object: 'plan' } }],
      has_more: false,
      url: '',
    },
    billing_mode: { type: 'flexible', flexible: { proration_discounts: 'included' }, ...params.billing_mode },
    billing_cycle_anchor: anchor,
    cancel_at: cancelAt,
    cancel_at_period_end: Boolean(params.cancel_at_period_end),
    canceled_at: cancelAt ? tx.now : null,
    collection_method: 'charge_automatically',
    default_payment_method: method?.id ?? null,
    invoice_settings: { issuer: { type: 'self' }, ...(issuers.length && { account_tax_ids: issuers }) },
    ...(automatic && { automatic_tax: { enabled: true, disabled_reason: null, liability: { type: 'self' } } }),
    ...(rates?.length && { default_tax_rates: rates }),
    start_date: tx.now,
    trial_start: trial ? tx.now : null,
    trial_end: trial,
    trial_settings: params.trial_settings ?? { end_behavior: { missing_payment_method: 'create_invoice' } },
    test_clock: customer.test_clock,
    ...pick(params, 'metadata', 'description', 'payment_settings'),
    _trialNoticed: false,
    _starting: true,
  })
  const lines = await cycleLines(tx, subscription, null)
  const invoice = await draft(tx, { customer, subscription, reason: 'subscription_create', lines })
  await finalize(tx, invoice)
  subscription.latest_invoice = invoice.id
  await saveSubscription(tx, subscription)
  if (invoice.status === 'open') await collectFirst(tx, subscription, invoice, params, options)
  subscription._starting = false
  await saveSubscription(tx, subscription)
  await tx.emit('customer.subscription.created', subscription)
  return subscription
}

async function collectFirst(
  tx: Session,
  subscription: Subscription,
  invoice: Invoice,
  params: Stripe.SubscriptionCreateParams,
  options: Options,
): Promise<void> {
  const behavior = params.payment_behavior ?? 'allow_incomplete'
  subscription.status = 'incomplete'
  const customer = await tx.customer(subscription.customer)
  if (
    !(await preferredMethod(tx, subscription.default_payment_method, customer.invoice_settings.default_payment_method))
  ) {
    throw invalid(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      { code: 'resource_missing' },
    )
  }
  const offSession = options.onSession ? false : Boolean(params.off_session)
  const intent = await collect(tx, invoice, { offSession, authenticated: options.authenticated ?? false })
  if (intent?.status === 'succeeded' || intent?.status === 'processing') subscription.status = 'active'
  else if (behavior === 'error_if_incomplete' && intent) throw incompleteError(intent)
  await saveSubscription(tx, subscription)
}

/** The 402 for a change that must be all or nothing: everything the request wrote is rolled back. */
export function incompleteError(intent: Body): Error {
  const error = intent.last_payment_error as object | null
  if (error) return Object.assign(refusal(intent as never), { keep: false })
  const text = 'This payment requires additional user action before it can be completed successfully.'
  return cardError(
    { code: 'subscription_payment_intent_requires_action', message: text },
    { payment_intent: publicBody(intent) },
    false,
  )
}
