import type Stripe from 'stripe'
import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'

/** A subscription as it is at Stripe, in our terms. */
export interface SubscriptionFacts {
  id: string
  customerId: string
  itemId: string
  priceId: string
  /** ISO code, lower case. */
  currency: string
  /** Stripe's status, unchanged: new values must not break anything. */
  status: string
  startedAt: Date
  /** Periods are counted from here. Later than its start when it continues the months of an earlier one. */
  cycleAnchor: Date
  periodStart: Date
  periodEnd: Date
  trialEnd: Date | null
  /** When it ends at the customer's request; null: it renews. */
  cancelsAt: Date | null
  endedAt: Date | null
  latestInvoiceId: string | null
  /** The price that takes over at the end of the period; null: none. */
  pendingPriceId: string | null
  /** The card that pays, if known. */
  cardFingerprint: string | null
  /** Why Stripe stopped computing its tax; null: it did not. */
  taxOff: string | null
  /** The operator's own rates of its next invoice. */
  taxRateIds: string[]
}

export async function fetchSubscription({ client }: StripeAccess, id: string): Promise<SubscriptionFacts> {
  const found = await client.subscriptions.retrieve(id, { expand: ['default_payment_method', 'schedule'] })
  // Stripe does not guarantee an order of items. The plan is the first (and only) recurring one.
  const item = found.items.data[0]
  if (!item) throw new Error(`Subscription ${id} has no item.`)
  const card = found.default_payment_method as Stripe.PaymentMethod | null
  return {
    id: found.id,
    customerId: idOf(found.customer),
    itemId: item.id,
    priceId: item.price.id,
    currency: found.currency,
    status: found.status,
    startedAt: date(found.start_date),
    cycleAnchor: date(found.billing_cycle_anchor),
    periodStart: date(item.current_period_start),
    periodEnd: date(item.current_period_end),
    trialEnd: dateOrNull(found.trial_end),
    // Newer subscriptions set only cancel_at, older ones only the flag.
    cancelsAt: dateOrNull(found.cancel_at) ?? (found.cancel_at_period_end ? date(item.current_period_end) : null),
    endedAt: dateOrNull(found.ended_at),
    latestInvoiceId: found.latest_invoice ? idOf(found.latest_invoice) : null,
    pendingPriceId: pendingPrice(found.schedule as Stripe.SubscriptionSchedule | null, item),
    cardFingerprint: card?.card?.fingerprint ?? null,
    taxOff: found.automatic_tax?.disabled_reason ?? null,
    taxRateIds: (found.default_tax_rates ?? []).map(({ id }) => id),
  }
}

function pendingPrice(schedule: Stripe.SubscriptionSchedule | null, item: Stripe.SubscriptionItem): string | null {
  if (schedule?.status !== 'active') return null
  const next = schedule.phases.find((phase) => phase.start_date >= item.current_period_end)
  const price = next?.items[0]?.price
  if (!price) return null
  const id = idOf(price)
  return id === item.price.id ? null : id
}

export const date = (seconds: number): Date => new Date(seconds * 1000)
const dateOrNull = (seconds: number | null): Date | null => (seconds === null ? null : date(seconds))
