import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { pageOf } from '../api/lists.ts'
import { assign, type Handler, pick } from '../objects/assign.ts'
import type { Body, Fields, Invoice, InvoiceItem, Price, TaxId } from '../objects/bodies.ts'
import { paymentMethod } from '../objects/cards.ts'
import { refusal } from '../objects/payments.ts'
import type { Session } from '../objects/session.ts'
import { readRates } from '../tax/rates.ts'
import { assertTaxReady } from '../tax/settings.ts'
import { assertOneCurrency, assertPayable, optionOf } from './currency.ts'
import { addLines, automaticTax, count, draft, draftSeconds, finalize, lineOf, voidInvoice } from './invoices.ts'
import { amountOf } from './lines.ts'
import { collect, methodFor } from './pay-invoice.ts'
import { preview } from './preview.ts'

async function create(tx: Session, params: Stripe.InvoiceCreateParams): Promise<Body> {
  const customer = await tx.customer(params.customer ?? '')
  const extra: Fields = { ...pick(params, 'metadata', 'description', 'footer', 'number', 'custom_fields', 'currency') }
  const rates = await readRates(tx, params.default_tax_rates, 'default_tax_rates')
  const issuers = await readIssuers(tx, params.account_tax_ids)
  if (params.automatic_tax?.enabled) await assertTaxReady(tx)
  // Stripe uses the currency of earlier invoices before the account's own.
  const [last] = (await tx.find<Invoice>('invoice', { customer: customer.id })).reverse()
  extra.currency = String(extra.currency ?? last?.currency ?? 'usd').toLowerCase()
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
    automaticTax: params.automatic_tax?.enabled ?? false,
    extra: {
      ...extra,
      ...(method && { default_payment_method: method.id }),
      ...(rates?.length && { default_tax_rates: rates }),
      ...(issuers?.length && { account_tax_ids: issuers }),
    },
  })
}

/** The account's own tax ids with these ids, for `account_tax_ids`. */
async function readIssuers(tx: Session, given: string[] | '' | null | undefined): Promise<string[] | undefined> {
  for (const id of given || []) {
    const found = await tx.get<TaxId>('tax_id', id, 'account_tax_ids')
    if (found.customer) throw invalid('The tax ID belongs to a customer.', { param: 'account_tax_ids' })
  }
  return given === undefined ? undefined : given || []
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
  await setTax(tx, invoice, params)
  await tx.save(invoice, 'invoice.updated')
  return invoice
}

async function setTax(tx: Session, invoice: Invoice, params: Stripe.InvoiceUpdateParams): Promise<void> {
  const { automatic_tax: automatic, default_tax_rates: given, account_tax_ids: ids } = params
  if (automatic === undefined && given === undefined && ids === undefined) return
  if (invoice.status !== 'draft')
    throw invalid('Finalized invoices cannot be modified.', { code: 'invoice_not_editable' })
  const issuers = await readIssuers(tx, ids)
  const rates = await readRates(tx, given, 'default_tax_rates')
  if (automatic?.enabled) await assertTaxReady(tx)
  if (issuers) invoice.account_tax_ids = issuers
  if (rates) invoice.default_tax_rates = rates
  if (automatic)
    Object.assign(invoice.automatic_tax, automatic.enabled ? automaticTax : { enabled: false, status: null })
  await count(tx, invoice)
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
  const currency = params.currency?.toLowerCase() ?? invoice?.currency ?? price?.currency ?? 'usd'
  if (invoice && invoice.currency !== currency)
    throw invalid(`The currency of the invoice is ${invoice.currency}, not ${currency}.`, { param: 'currency' })
  if (!invoice) await assertOneCurrency(tx, customer.id, currency)
  const amount = params.amount ?? (price ? amountOf(price, quantity, currency) : undefined)
  if (amount === undefined)
    throw invalid('One of the following params should be provided: amount or pricing.', {
      code: 'parameter_missing',
      param: 'amount',
    })
  assertPayable(amount, currency, 'amount')
  const rates = await readRates(tx, params.tax_rates, 'tax_rates')
  const details = price ? { price_details: { price: price.id, product: price.product } } : {}
  const item = await tx.create<InvoiceItem>('invoiceitem', 'ii', {
    customer: customer.id,
    amount,
    currency,
    quantity,
    quantity_decimal: String(quantity),
    date: tx.now,
    period: params.period ?? { start: tx.now, end: tx.now },
    proration: false,
    invoice: invoice?.id ?? null,
    pricing: {
      type: 'price_details',
      unit_amount_decimal: price ? optionOf(price, currency).unit_amount_decimal : String(amount),
      ...details,
    },
    parent: params.subscription
      ? { type: 'subscription_details', subscription_details: { subscription: params.subscription } }
      : null,
    test_clock: customer.test_clock,
    ...pick(params, 'description', 'metadata', 'discountable'),
    ...(rates?.length && { tax_rates: rates }),
    ...(params.tax_behavior && { _behavior: params.tax_behavior }),
    ...(params.tax_code && { _code: params.tax_code }),
    _subscription: params.subscription ?? null,
    _price: price?.id ?? null,
  })
  if (invoice) {
    await addLines(tx, invoice, [await lineOf(tx, item)])
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

/** Items that are still on a draft wait for the next invoice. */
async function removeDraft(tx: Session, _params: unknown, id: string): Promise<Fields> {
  const invoice = await tx.get<Invoice>('invoice', id)
  if (invoice.status !== 'draft' || invoice.parent) throw invalid('You can only delete draft invoices.')
  for (const item of await tx.find<InvoiceItem>('invoiceitem', { invoice: id })) {
    item.invoice = null
    await tx.save(item)
  }
  return tx.remove(invoice)
}

async function removeItem(tx: Session, _params: unknown, id: string): Promise<Fields> {
  const item = await tx.get<InvoiceItem>('invoiceitem', id)
  const invoice = item.invoice ? await tx.get<Invoice>('invoice', item.invoice) : null
  if (invoice?.status !== 'draft') throw invalid('The sandbox deletes only the items of drafts.')
  invoice.lines.data = invoice.lines.data.filter(({ parent }) => !JSON.stringify(parent).includes(`"${id}"`))
  await count(tx, invoice)
  await tx.save(invoice, 'invoice.updated')
  return tx.remove(item)
}

export const invoiceHandlers: Record<string, Handler> = {
  'POST /v1/invoices': create,
  'POST /v1/invoices/{id}': update,
  'POST /v1/invoices/create_preview': preview,
  'DELETE /v1/invoices/{id}': removeDraft,
  'DELETE /v1/invoiceitems/{id}': removeItem,
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
