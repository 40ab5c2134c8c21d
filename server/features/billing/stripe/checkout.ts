import type Stripe from 'stripe'
import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'
import { wholeNumber } from './fetch-invoice.ts'
import { checkoutTaxes } from './taxes.ts'

export interface SessionFacts {
  id: string
  status: 'open' | 'complete' | 'expired'
  /** The money has arrived, which for a debit may be days after the page was completed. */
  paid: boolean
  customerId: string | null
  totalCents: number
  taxCents: number
  /** Of it, what is on top of the prices. */
  addedTaxCents: number
  /** ISO code, lower case; null: nothing is paid. */
  currency: string | null
  subscriptionId: string | null
  invoiceId: string | null
  paymentIntentId: string | null
  /** The top-up that this session pays for. */
  topupId: number | null
}

export interface OpenSession {
  id: string
  url: string
  expiresAt: Date
}

interface PlanCheckout {
  attemptId: number
  customerId: string
  accountPublicId: string
  priceId: string
  /** Null: the price's own. */
  currency: string | null
  metered: boolean
  trialDays: number
  /** The operator's own rate that applies; null: none. */
  taxRateId: string | null
  successUrl: string
  cancelUrl: string
}

/** Opens the checkout page of a plan. The attempt id is the idempotency key. */
export async function openPlanCheckout(access: StripeAccess, given: PlanCheckout): Promise<OpenSession> {
  const metadata = { finmeter_account: given.accountPublicId }
  const trial: Stripe.Checkout.SessionCreateParams.SubscriptionData = {
    trial_period_days: given.trialDays,
    trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
  }
  return opened(
    await access.client.checkout.sessions.create(
      {
        mode: 'subscription',
        customer: given.customerId,
        client_reference_id: given.accountPublicId,
        line_items: [{ price: given.priceId, ...(!given.metered && { quantity: 1 }) }],
        ...(given.currency && { currency: given.currency }),
        metadata,
        subscription_data: {
          metadata,
          ...(given.trialDays > 0 && trial),
          ...(given.taxRateId && { default_tax_rates: [given.taxRateId] }),
        },
        ...checkoutTaxes(access),
        payment_method_collection: 'always',
        success_url: given.successUrl,
        cancel_url: given.cancelUrl,
      },
      { idempotencyKey: `co:${given.attemptId}:${given.accountPublicId}` },
    ),
  )
}

interface TopupCheckout {
  topupId: number
  customerId: string
  accountPublicId: string
  priceId: string
  /** Null: the price's own. */
  currency: string | null
  packs: number
  saveCard: boolean
  /** The operator's own rate that applies; null: none. */
  taxRateId: string | null
  successUrl: string
  cancelUrl: string
}

/** Opens the checkout page of credits. Session, payment and invoice all carry the top-up's id. */
export async function openTopupCheckout(access: StripeAccess, given: TopupCheckout): Promise<OpenSession> {
  const metadata = { finmeter_account: given.accountPublicId, finmeter_topup: String(given.topupId) }
  const rates = given.taxRateId && { tax_rates: [given.taxRateId] }
  return opened(
    await access.client.checkout.sessions.create(
      {
        mode: 'payment',
        customer: given.customerId,
        client_reference_id: given.accountPublicId,
        line_items: [{ price: given.priceId, quantity: given.packs, ...rates }],
        ...(given.currency && { currency: given.currency }),
        metadata,
        invoice_creation: { enabled: true, invoice_data: { metadata } },
        payment_intent_data: { metadata, ...(given.saveCard && { setup_future_usage: 'off_session' }) },
        ...checkoutTaxes(access),
        success_url: given.successUrl,
        cancel_url: given.cancelUrl,
      },
      { idempotencyKey: `topup:${given.topupId}:${given.accountPublicId}` },
    ),
  )
}

export async function fetchSession({ client }: StripeAccess, id: string): Promise<SessionFacts> {
  const found = await client.checkout.sessions.retrieve(id)
  const { amount_tax = 0, amount_discount = 0, amount_shipping = 0 } = found.total_details ?? {}
  return {
    id: found.id,
    status: (['open', 'complete', 'expired'] as const).find((one) => one === found.status) ?? 'open',
    paid: found.payment_status !== 'unpaid',
    customerId: found.customer ? idOf(found.customer) : null,
    totalCents: found.amount_total ?? 0,
    taxCents: amount_tax,
    addedTaxCents:
      amount_tax && (found.amount_total ?? 0) - (found.amount_subtotal ?? 0) + amount_discount - (amount_shipping ?? 0),
    currency: found.currency,
    subscriptionId: found.subscription ? idOf(found.subscription) : null,
    invoiceId: found.invoice ? idOf(found.invoice) : null,
    paymentIntentId: found.payment_intent ? idOf(found.payment_intent) : null,
    topupId: wholeNumber(found.metadata?.finmeter_topup),
  }
}

/** Closes an open page. Returns false when it was already completed, so the purchase stands. */
export async function expireSession({ client }: StripeAccess, id: string): Promise<boolean> {
  const found = await client.checkout.sessions.retrieve(id)
  if (found.status === 'open') await client.checkout.sessions.expire(id)
  return found.status !== 'complete'
}

function opened(session: Stripe.Checkout.Session): OpenSession {
  if (!session.url) throw new Error(`Checkout session ${session.id} has no address.`)
  return { id: session.id, url: session.url, expiresAt: new Date(session.expires_at * 1000) }
}
