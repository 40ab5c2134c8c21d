import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { pageOf } from '../api/lists.ts'
import { assign, type Handler, pick } from '../objects/assign.ts'
import type { Body, Invoice, InvoiceItem, Line, Price } from '../objects/bodies.ts'
import { paymentMethod } from '../objects/cards.ts'
import { createPrice } from '../objects/catalog.ts'
import { refusal } from '../objects/payments.ts'
import type { Session } from '../objects/session.ts'
import { addLines, draft, draftSeconds, finalize, lineOf, voidInvoice } from './invoices.ts'
import { amountOf, makeLine } from './lines.ts'
import { collect, methodFor } from './pay-invoice.ts'
import { preview } from './preview.ts'

async function create(tx: Session, params: Stripe.InvoiceCreateParams): Promise<Body> {
  const customer = await tx.customer(params.customer ?? '')
  const extra = { ...pick(params, 'metadata', 'description', 'footer', 'number', 'custom_fields', 'currency') }
  const method = params.default_payment_method ? await paymentMethod(tx, params.default_payment_method) : null
  const autoAdvance = params.auto_advance ?? false
  const finalizesAt = autoAdvance ? tx.now + draftSeconds : null
  const pending = params.pending_invoice_items_behavior === 'include'
  return draft(tx, {
    customer,
    reason: 'manual',
    lines: [],
    autoAdvance,
    finalizesAt,
    pending,
    extra: { ...extra, ...(method && { default_payment_method: method.id }) },
  })
}

async function update(tx: Session, params: Stripe.InvoiceUpdateParams, id: string): Promise<Body> {
  const invoice = await tx.get<Invoice>('invoice', id)
  assign(
    invoice,
    params,
    'metadata',
    'description',
    'footer',
    'auto_advance',
    'default_payment_method',
    'custom_fields',
  )
  if (invoice.status === 'draft' && params.auto_advance !== undefined)
    invoice._due = params.auto_advance ? tx.now + draftSeconds : null
  await tx.save(invoice, 'invoice.updated')
  return invoice
}

async function pay(tx: Session, params: Stripe.InvoicePayParams, id: string): Promise<Body> {
  const invoice = await tx.get<Invoice>('invoice', id)
  if (invoice.status === 'draft') await finalize(tx, invoice)
  const method = params.payment_method ? await paymentMethod(tx, params.payment_method) : await methodFor(tx, invoice)
  if (!method && invoice.status !== 'paid') {
    throw invalid(
      'There is no default_payment_method set on this Customer or Invoice. Please set one, or pass `payment_method`.',
      { code: 'invoice_payment_method_missing' },
    )
  }
  const intent = await collect(tx, invoice, { method, offSession: params.off_session ?? true })
  if (intent?.last_payment_error) throw refusal(intent)
  return invoice
}

async function editable(tx: Session, id: string): Promise<Invoice> {
  const invoice = await tx.get<Invoice>('invoice', id)
  if (invoice.status !== 'draft')
    throw invalid('Finalized invoices cannot be modified.', { code: 'invoice_not_editable' })
  return invoice
}

interface PricedParams {
  amount?: number
  quantity?: number
  currency?: string
  pricing?: { price?: string }
  price_data?: object
  unit_amount_decimal?: unknown
}

/** The amount and price of a line that is given as an amount, by a price, or by a unit price. */
async function priced(
  tx: Session,
  params: PricedParams,
  fallback: string,
): Promise<{ amount: number; price: Price | null; quantity: number; currency: string }> {
  const { quantity = 1 } = params
  const price = params.price_data
    ? await createPrice(tx, params.price_data as Stripe.PriceCreateParams)
    : params.pricing?.price
      ? await tx.get<Price>('price', params.pricing.price, 'pricing[price]')
      : null
  const unit = params.unit_amount_decimal === undefined ? null : String(params.unit_amount_decimal)
  const made = unit === null ? null : ({ unit_amount_decimal: unit } as Price)
  const amount = params.amount ?? (price || made ? amountOf((price ?? made) as Price, quantity) : undefined)
  if (amount === undefined)
    throw invalid(
      'One of the following params should be provided: amount, pricing, price_data or unit_amount_decimal.',
      { code: 'parameter_missing', param: 'amount' },
    )
  return { amount, price, quantity, currency: price?.currency ?? params.currency ?? fallback }
}

async function addLinesTo(tx: Session, params: Stripe.InvoiceAddLinesParams, id: string): Promise<Body> {
  const invoice = await editable(tx, id)
  const period = { start: tx.now, end: tx.now }
  const lines: Line[] = []
  for (const given of params.lines) {
    if (given.invoice_item) {
      const item = await tx.get<InvoiceItem>('invoiceitem', given.invoice_item, 'lines[invoice_item]')
      item.invoice = id
      await tx.save(item)
      lines.push(await lineOf(tx, item))
    } else {
      const own = await priced(tx, given as PricedParams, invoice.currency)
      lines.push(
        makeLine({
          ...own,
          description: given.description ?? null,
          period: given.period ?? period,
          metadata: (given.metadata || {}) as Record<string, string>,
        }),
      )
    }
  }
  addLines(invoice, lines)
  assign(invoice, { metadata: params.invoice_metadata }, 'metadata')
  await tx.save(invoice, 'invoice.updated')
  return invoice
}

async function createItem(tx: Session, params: Stripe.InvoiceItemCreateParams): Promise<Body> {
  const customer = await tx.customer(params.customer ?? '')
  const invoice = params.invoice ? await editable(tx, params.invoice) : null
  const own = await priced(tx, params as PricedParams, 'usd')
  if (invoice && invoice.customer !== customer.id)
    throw invalid('The invoice belongs to another customer.', { param: 'invoice' })
  const details = own.price ? { price_details: { price: own.price.id, product: own.price.product } } : {}
  const item = await tx.create<InvoiceItem>('invoiceitem', 'ii', {
    customer: customer.id,
    amount: own.amount,
    currency: own.currency,
    quantity: own.quantity,
    quantity_decimal: String(own.quantity),
    date: tx.now,
    period: params.period ?? { start: tx.now, end: tx.now },
    proration: false,
    invoice: invoice?.id ?? null,
    pricing: {
      type: 'price_details',
      unit_amount_decimal: own.price?.unit_amount_decimal ?? String(own.amount),
      ...details,
    },
    parent: params.subscription
      ? { type: 'subscription_details', subscription_details: { subscription: params.subscription } }
      : null,
    test_clock: customer.test_clock,
    ...pick(params, 'description', 'metadata', 'discountable'),
    _subscription: params.subscription ?? null,
    _price: own.price?.id ?? null,
  })
  if (invoice) {
    addLines(invoice, [await lineOf(tx, item)])
    await tx.save(invoice, 'invoice.updated')
  }
  return item
}

async function deleteItem(tx: Session, _params: unknown, id: string): Promise<unknown> {
  const item = await tx.get<InvoiceItem>('invoiceitem', id)
  if (item.invoice) {
    const invoice = await editable(tx, item.invoice)
    const kept = invoice.lines.data.filter((line) => JSON.stringify(line.parent).includes(id) === false)
    invoice.lines.data = []
    addLines(invoice, kept)
    await tx.save(invoice, 'invoice.updated')
  }
  return tx.remove(item)
}

async function markUncollectible(tx: Session, _params: unknown, id: string): Promise<Body> {
  const invoice = await tx.get<Invoice>('invoice', id)
  if (invoice.status !== 'open')
    throw invalid(`You can only mark open invoices as uncollectible. This one is ${invoice.status}.`)
  Object.assign(invoice, { status: 'uncollectible', next_payment_attempt: null, _due: null })
  invoice.status_transitions.marked_uncollectible_at = tx.now
  await tx.save(invoice, 'invoice.marked_uncollectible')
  return invoice
}

export const invoiceHandlers: Record<string, Handler> = {
  'POST /v1/invoices': create,
  'POST /v1/invoices/{id}': update,
  'POST /v1/invoices/create_preview': preview,
  'POST /v1/invoices/{id}/finalize': async (tx, params: Stripe.InvoiceFinalizeInvoiceParams, id) => {
    const invoice = await tx.get<Invoice>('invoice', id)
    if (params.auto_advance !== undefined) invoice.auto_advance = params.auto_advance
    return finalize(tx, invoice)
  },
  'POST /v1/invoices/{id}/pay': pay,
  'POST /v1/invoices/{id}/void': async (tx, _params, id) => voidInvoice(tx, await tx.get<Invoice>('invoice', id)),
  'POST /v1/invoices/{id}/mark_uncollectible': markUncollectible,
  'GET /v1/invoices/{id}/lines': async (tx, params, id) =>
    pageOf((await tx.get<Invoice>('invoice', id)).lines.data, params, `/v1/invoices/${id}/lines`),
  'POST /v1/invoices/{id}/add_lines': addLinesTo,
  'POST /v1/invoiceitems': createItem,
  'DELETE /v1/invoiceitems/{id}': deleteItem,
}
