import type Stripe from 'stripe'
import { idOf } from './catalogue.ts'
import type { StripeAccess } from './client.ts'
import { date } from './fetch-subscription.ts'

const statuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const

export interface LineFacts {
  id: string
  /** Null: a line without a price, such as the minimum of pay-as-you-go. */
  priceId: string | null
  cents: number
  quantity: number
  /** A correction for part of a period: never a period of its own. */
  proration: boolean
  start: Date
  end: Date
}

/** An invoice as it stands at Stripe, in our words. Amounts in cents. */
export interface InvoiceFacts {
  id: string
  customerId: string
  number: string | null
  /** A word that we do not know counts as open: nothing is granted for it. */
  status: (typeof statuses)[number]
  totalCents: number
  /** Stripe finalises it by itself. */
  autoAdvance: boolean
  paidCents: number
  /** When it was finalised; while a draft, when it was made. */
  createdAt: Date
  subscriptionId: string | null
  /** The first invoice of a subscription has no usage to bill. */
  opening: boolean
  paymentIntentId: string | null
  hostedUrl: string | null
  /** Our top-up that this invoice pays, by its metadata. */
  topupId: number | null
  /** A line that we added ourselves to bring pay-as-you-go to its minimum. */
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

/** A fresh link to the PDF at Stripe; null while there is none. Such links age out: never store one. */
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
