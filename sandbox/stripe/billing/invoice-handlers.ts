import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { pageOf } from '../api/lists.ts'
import { assign, type Handler, pick } from '../objects/assign.ts'
import type { Body, Invoice, InvoiceItem, Price } from '../objects/bodies.ts'
import { paymentMethod } from '../objects/cards.ts'
import { refusal } from '../objects/payments.ts'
import type { Session } from '../objects/session.ts'
import { addLines, draft, draftSeconds, finalize, lineOf, voidInvoice } from './invoices.ts'
import { amountOf } from './lines.ts'
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

async function createItem(tx: Session, params: Stripe.InvoiceItemCreateParams): Promise<Body> {
  const customer = await tx.customer(params.customer ?? '')
  const invoice = params.invoice ? await tx.get<Invoice>('invoice', params.invoice) : null
  if (invoice && invoice.status !== 'draft')
    throw invalid('Finalized invoices cannot be modified.', { code: 'invoice_not_editable' })
  if (invoice && invoice.customer !== customer.id)
    throw invalid('The invoice belongs to another customer.', { param: 'invoice' })
  const { quantity = 1 } = params
  const price = params.pricing?.price ? await tx.get<Price>('price', params.pricing.price, 'pricing[price]') : null
  const amount = params.amount ?? (price ? amountOf(price, quantity) : undefined)
  if (amount === undefined)
    throw invalid('One of the following params should be provided: amount or pricing.', {
      code: 'parameter_missing',
      param: 'amount',
    })
  const details = price ? { price_details: { price: price.id, product: price.product } } : {}
  const item = await tx.create<InvoiceItem>('invoiceitem', 'ii', {
    customer: customer.id,
    amount,
    currency: price?.currency ?? params.currency ?? 'usd',
    quantity,
    quantity_decimal: String(quantity),
    date: tx.now,
    period: params.period ?? { start: tx.now, end: tx.now },
    proration: false,
    invoice: invoice?.id ?? null,
    pricing: {
      type: 'price_details',
      unit_amount_decimal: price?.unit_amount_decimal ?? String(amount),
      ...details,
    },
    parent: params.subscription
      ? { type: 'subscription_details', subscription_details: { subscription: params.subscription } }
      : null,
    test_clock: customer.test_clock,
    ...pick(params, 'description', 'metadata', 'discountable'),
    _subscription: params.subscription ?? null,
    _price: price?.id ?? null,
  })
  if (invoice) {
    addLines(invoice, [await lineOf(tx, item)])
    await tx.save(invoice, 'invoice.updated')
  }
  return item
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
  'POST /v1/invoiceitems': createItem,
}
