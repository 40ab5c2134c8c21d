import type Stripe from 'stripe'
import { idOf } from './catalog.ts'
import type { StripeAccess } from './client.ts'
import { date } from './fetch-subscription.ts'

const statuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const

export interface LineFacts {
  id: string
  /** Null for a line without a price, such as the pay-as-you-go minimum. */
  priceId: string | null
  cents: number
  quantity: number
  /** A correction for part of a period, never a period itself. */
  proration: boolean
  start: Date
  end: Date
}

/** An invoice as it is at Stripe, in our terms. Amounts in cents. */
export interface InvoiceFacts {
  id: string
  customerId: string
  number: string | null
  /** An unknown status counts as open: nothing is granted for it. */
  status: (typeof statuses)[number]
  totalCents: number
  /** ISO code, lower case. */
  currency: string
  /** Stripe finalizes it automatically. */
  autoAdvance: boolean
  paidCents: number
  /** When it was finalized, or created while it is a draft. */
  createdAt: Date
  subscriptionId: string | null
  /** The first invoice of a subscription has no usage to bill. */
  opening: boolean
  paymentIntentId: string | null
  hostedUrl: string | null
  /** The top-up that this invoice pays for, by its metadata. */
  topupId: number | null
  /** A line that we added to reach the pay-as-you-go minimum. */
  minimumCents: number
  lines: LineFacts[]
}

export async function fetchInvoice({ client }: StripeAccess, id: string): Promise<InvoiceFacts> {
  const found = await client.invoices.retrieve(id, { expand: ['payments'] })
  const lines = found.lines.has_more ? await allLines(client, id) : found.lines.data
  return {
    id: found.id ?? id,
    customerId: found.customer ? idOf(found.customer) : '',
    number: found.number,
    status: statuses.find((one) => one === found.status) ?? (found.status ? 'open' : 'draft'),
    totalCents: found.total,
    currency: found.currency,
    autoAdvance: found.auto_advance ?? false,
    paidCents: found.amount_paid,
    createdAt: date(found.status_transitions.finalized_at ?? found.created),
    subscriptionId: subscriptionOf(found),
    opening: found.billing_reason === 'subscription_create',
    paymentIntentId: paymentOf(found),
    hostedUrl: found.hosted_invoice_url ?? null,
    topupId: wholeNumber(found.metadata?.finmeter_topup),
    minimumCents: lines.reduce((sum, line) => sum + (line.metadata.finmeter_payg_minimum ? line.amount : 0), 0),
    lines: lines.map(factsOf),
  }
}

/** A fresh link to the PDF at Stripe; null while there is none. These links expire: never store one. */
export async function fetchPdfUrl({ client }: StripeAccess, id: string): Promise<string | null> {
  return (await client.invoices.retrieve(id)).invoice_pdf ?? null
}

async function allLines(client: Stripe, id: string): Promise<Stripe.InvoiceLineItem[]> {
  const lines: Stripe.InvoiceLineItem[] = []
  for await (const line of client.invoices.listLineItems(id, { limit: 100 })) lines.push(line)
  return lines
}

function factsOf(line: Stripe.InvoiceLineItem): LineFacts {
  const price = line.pricing?.price_details?.price
  const parent = line.parent?.subscription_item_details ?? line.parent?.invoice_item_details
  return {
    id: line.id,
    priceId: price ? idOf(price) : null,
    cents: line.amount,
    quantity: line.quantity ?? 0,
    proration: parent?.proration ?? false,
    start: date(line.period.start),
    end: date(line.period.end),
  }
}

function subscriptionOf(invoice: Stripe.Invoice): string | null {
  const subscription = invoice.parent?.subscription_details?.subscription
  return subscription ? idOf(subscription) : null
}

function paymentOf(invoice: Stripe.Invoice): string | null {
  const payment = invoice.payments?.data.find(({ status }) => status === 'paid') ?? invoice.payments?.data[0]
  const intent = payment?.payment.payment_intent
  return intent ? idOf(intent) : null
}

export const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
