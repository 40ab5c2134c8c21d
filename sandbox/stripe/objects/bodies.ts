/** Stored objects: the fields that the code uses. The contract completes the rest; names with `_` are never sent. */
export type Fields = Record<string, unknown>

export interface Body {
  id: string
  object: string
  [field: string]: unknown
}

export interface List<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  url: string
}

export type Interval = 'day' | 'week' | 'month' | 'year'

export interface Price extends Body {
  active: boolean
  currency: string
  product: string
  unit_amount: number | null
  unit_amount_decimal: string | null
  recurring: {
    interval: Interval
    interval_count: number
    usage_type: 'licensed' | 'metered'
    meter: string | null
  } | null
  type: 'one_time' | 'recurring'
  tax_behavior: string | null
  /** Amounts in further currencies, sent as `currency_options` when a request expands them. */
  _options?: Record<string, CurrencyOption>
}

export interface CurrencyOption {
  unit_amount: number | null
  unit_amount_decimal: string | null
  tax_behavior: string | null
}

export interface Address {
  city: string | null
  country: string | null
  line1: string | null
  line2: string | null
  postal_code: string | null
  state: string | null
}

export interface TaxRate extends Body {
  display_name: string
  description: string | null
  active: boolean
  inclusive: boolean
  percentage: number
}

export interface TaxId extends Body {
  type: string
  value: string
  customer: string | null
  verification: { status: string; verified_name: string | null; verified_address: string | null } | null
}

/** A tax of a line, or of all lines together. */
export interface Tax {
  amount: number
  tax_behavior: 'exclusive' | 'inclusive'
  tax_rate_details: { tax_rate: string } | null
  taxability_reason: string
  taxable_amount: number | null
  type: 'tax_rate_details'
  /** As pages and PDFs name it: 'VAT Germany (19%)'. */
  _text: string
}

export interface Customer extends Body {
  address?: Address | null
  shipping?: { address?: Address | null } | null
  tax_exempt?: string | null
  _ip?: string | null
  balance: number
  email: string | null
  name: string | null
  invoice_settings: { default_payment_method: string | null }
  test_clock: string | null
  invoice_prefix: string
  next_invoice_sequence: number
  _home?: string
  _balances?: Record<string, number>
}

export interface PaymentMethod extends Body {
  type: string
  customer: string | null
  card?: { brand: string; last4: string; fingerprint: string; exp_month: number; exp_year: number }
  _outcome: string
}

export type PaymentStatus = 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled'

export interface PaymentIntent extends Body {
  amount: number
  amount_received: number
  currency: string
  customer: string | null
  payment_method: string | null
  latest_charge: string | null
  status: PaymentStatus
  setup_future_usage: string | null
  last_payment_error: Fields | null
  metadata: Record<string, string>
  _invoice: string | null
  _clock: string | null
}

export interface Charge extends Body {
  amount: number
  amount_refunded: number
  currency: string
  customer: string | null
  payment_intent: string | null
  status: 'succeeded' | 'failed' | 'pending'
}

export interface Refund extends Body {
  amount: number
  charge: string
}

export interface Period {
  start: number
  end: number
}

export interface Line extends Body {
  amount: number
  period: Period
  quantity: number | null
  taxes?: Tax[]
  _price: string | null
  /** What a line says itself; its price, its invoice and the account say the rest. */
  _rates?: TaxRate[]
  _behavior?: string
  _code?: string
  /** The subscription item whose usage this line recounts until the invoice is final. */
  _metered: string | null
}

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'

export interface Invoice extends Body {
  customer: string
  currency: string
  status: InvoiceStatus
  billing_reason: string
  auto_advance: boolean
  attempt_count: number
  amount_due: number
  amount_paid: number
  amount_remaining: number
  subtotal: number
  total: number
  total_taxes: Tax[]
  automatic_tax: { enabled: boolean; status: string | null; disabled_reason: string | null }
  default_tax_rates: TaxRate[]
  number: string | null
  default_payment_method: string | null
  lines: List<Line>
  parent: { subscription_details: { subscription: string } | null } | null
  status_transitions: {
    finalized_at: number | null
    paid_at: number | null
    voided_at: number | null
    marked_uncollectible_at: number | null
  }
  next_payment_attempt: number | null
  test_clock: string | null
  metadata: Record<string, string>
  _payment: string | null
  _secret: string
  _due: number | null
}

export interface InvoiceItem extends Body {
  customer: string
  amount: number
  currency: string
  invoice: string | null
  period: Period
  proration: boolean
  quantity: number
  description: string | null
  tax_rates: TaxRate[]
  metadata: Record<string, string>
  _subscription: string | null
  _price: string | null
  _behavior?: string
  _code?: string
}

export interface Item extends Body {
  price: Price
  quantity?: number
  current_period_start: number
  current_period_end: number
  tax_rates: TaxRate[]
  metadata: Record<string, string>
}

export type SubscriptionStatus = 'active' | 'trialing' | 'past_due' | 'incomplete' | 'incomplete_expired' | 'canceled'

export interface Subscription extends Body {
  customer: string
  currency: string
  status: SubscriptionStatus
  items: List<Item>
  billing_cycle_anchor: number
  cancel_at: number | null
  cancel_at_period_end: boolean
  canceled_at: number | null
  ended_at: number | null
  trial_start: number | null
  trial_end: number | null
  trial_settings: { end_behavior: { missing_payment_method: 'cancel' | 'create_invoice' } }
  default_payment_method: string | null
  latest_invoice: string | null
  automatic_tax: { enabled: boolean; disabled_reason: string | null }
  default_tax_rates: TaxRate[]
  invoice_settings: { account_tax_ids: string[] | null }
  schedule: string | null
  test_clock: string | null
  metadata: Record<string, string>
  _due: number | null
  _trialNoticed: boolean
}

export interface CheckoutSession extends Body {
  mode: 'payment' | 'subscription'
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid' | 'no_payment_required'
  customer: string | null
  customer_email: string | null
  amount_subtotal: number
  amount_total: number
  total_details: { amount_discount: number; amount_shipping: number; amount_tax: number }
  automatic_tax: { enabled: boolean; status: string | null }
  currency: string | null
  success_url: string
  cancel_url: string | null
  metadata: Record<string, string>
  expires_at: number
  _items: {
    price: Price
    quantity: number
    name: string
    amount: number
    currency: string
    rates?: TaxRate[] | undefined
  }[]
  _rates: TaxRate[]
  /** What the buyer entered on the page. */
  _details?: {
    address?: Address
    business_name?: string | null
    individual_name?: string | null
    tax_id?: { type: string; value: string }
  }
  _params: Fields
  _clock: string | null
}

/** The id of a reference, expanded or not. */
export function idOf(reference: unknown): string | null {
  if (typeof reference === 'string') return reference
  return (reference as Body | null | undefined)?.id ?? null
}

/** A copy to send, without the inner fields at any depth. */
export function publicBody<T>(body: T): T {
  return JSON.parse(JSON.stringify(body, (key, value) => (key.startsWith('_') ? undefined : value)))
}
