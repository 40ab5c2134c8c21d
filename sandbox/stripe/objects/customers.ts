import type Stripe from 'stripe'
import { cancelNow } from '../billing/end-subscription.ts'
import { locationInvalid, placeOf } from '../tax/location.ts'
import { addTaxId } from '../tax/tax-ids.ts'
import { assign, type Handler, pick } from './assign.ts'
import type { Body, Customer, Fields, PaymentMethod, Subscription } from './bodies.ts'
import { attach, paymentMethod } from './cards.ts'
import type { Session } from './session.ts'

const fields = [
  'email',
  'name',
  'phone',
  'description',
  'metadata',
  'address',
  'shipping',
  'preferred_locales',
  'tax_exempt',
  'balance',
  'next_invoice_sequence',
  'invoice_prefix',
  'business_name',
  'individual_name',
]

async function readSettings(
  tx: Session,
  customer: Customer,
  given: Stripe.CustomerUpdateParams.InvoiceSettings,
): Promise<void> {
  const settings: Fields = customer.invoice_settings
  if (given.default_payment_method) {
    const method = await attach(
      tx,
      await paymentMethod(tx, given.default_payment_method, 'invoice_settings[default_payment_method]'),
      customer.id,
    )
    settings.default_payment_method = method.id
  } else assign(settings, given, 'default_payment_method')
  assign(settings, given, 'footer', 'custom_fields', 'rendering_options')
}

async function createCustomer(tx: Session, params: Stripe.CustomerCreateParams): Promise<Body> {
  if (params.test_clock) await tx.get('test_helpers.test_clock', params.test_clock, 'test_clock')
  const customer = await tx.create<Customer>('customer', 'cus', {
    balance: 0,
    next_invoice_sequence: 1,
    invoice_settings: { default_payment_method: null },
    test_clock: params.test_clock ?? null,
    ...pick(params, ...fields),
  })
  customer.invoice_prefix ??= `SBX${customer.id.slice(-5).toUpperCase()}`
  await tx.save(customer)
  let wanted = params.invoice_settings
  if (params.payment_method) {
    const method = await attach(tx, await paymentMethod(tx, params.payment_method), customer.id)
    if (wanted?.default_payment_method === params.payment_method)
      wanted = { ...wanted, default_payment_method: method.id }
  }
  if (wanted) await readSettings(tx, customer, wanted)
  if (params.tax?.ip_address !== undefined) customer._ip = params.tax.ip_address || null
  if (params.tax?.validate_location === 'immediately' && !placeOf(customer)) throw locationInvalid()
  await tx.save(customer)
  for (const id of params.tax_id_data ?? []) await addTaxId(tx, customer.id, id)
  return customer
}

async function updateCustomer(tx: Session, params: Stripe.CustomerUpdateParams, id: string): Promise<Body> {
  const customer = await tx.get<Customer>('customer', id)
  assign(customer, params, ...fields)
  if (params.invoice_settings) await readSettings(tx, customer, params.invoice_settings)
  if (params.tax?.ip_address !== undefined) customer._ip = params.tax.ip_address || null
  if (!placeOf(customer) && (await mustBePlaced(tx, params, id))) throw locationInvalid()
  await tx.save(customer, 'customer.updated')
  return customer
}

/** Whether an update must leave the customer with a place. By default, only a new address or card of a taxed subscriber. */
async function mustBePlaced(tx: Session, params: Stripe.CustomerUpdateParams, id: string): Promise<boolean> {
  const when = params.tax?.validate_location ?? 'auto'
  if (when !== 'auto') return when === 'immediately'
  const moved = params.address || params.shipping || params.invoice_settings?.default_payment_method
  const taxed = { customer: id, ended_at: null, automatic_tax: { enabled: true } }
  return Boolean(moved) && (await tx.find('subscription', taxed)).length > 0
}

async function readCustomer(tx: Session, _params: unknown, id: string): Promise<unknown> {
  const sql = `select 1 from stripe_sandbox.objects where id = $1 and type = 'customer' and deleted`
  if ((await tx.client.query(sql, [id])).rowCount) return { id, object: 'customer', deleted: true }
  return tx.get('customer', id)
}

async function deleteCustomer(tx: Session, _params: unknown, id: string): Promise<unknown> {
  const customer = await tx.get<Customer>('customer', id)
  for (const subscription of await tx.find<Subscription>('subscription', { customer: id })) {
    if (!subscription.ended_at) await cancelNow(tx, subscription, {})
  }
  await tx.emit('customer.deleted', customer)
  return tx.remove(customer)
}

async function listMethods(tx: Session, params: Stripe.CustomerListPaymentMethodsParams, id: string): Promise<Body[]> {
  await tx.get('customer', id)
  const methods = await tx.find<PaymentMethod>('payment_method', {
    customer: id,
    ...(params.type && { type: params.type }),
  })
  return methods.reverse()
}

async function attachMethod(tx: Session, params: Stripe.PaymentMethodAttachParams, id: string): Promise<Body> {
  return attach(tx, await paymentMethod(tx, id, 'id'), params.customer ?? '')
}

async function detachMethod(tx: Session, _params: unknown, id: string): Promise<Body> {
  const method = await tx.get<PaymentMethod>('payment_method', id)
  const owner = method.customer ? await tx.maybe<Customer>(method.customer) : null
  if (owner?.invoice_settings.default_payment_method === id) {
    owner.invoice_settings.default_payment_method = null
    await tx.save(owner, 'customer.updated')
  }
  method.customer = null
  await tx.save(method, 'payment_method.detached')
  return method
}

export const customerHandlers: Record<string, Handler> = {
  'POST /v1/customers': createCustomer,
  'GET /v1/customers/{id}': readCustomer,
  'POST /v1/customers/{id}': updateCustomer,
  'DELETE /v1/customers/{id}': deleteCustomer,
  'GET /v1/customers/{id}/payment_methods': listMethods,
  'POST /v1/payment_methods/{id}/attach': attachMethod,
  'POST /v1/payment_methods/{id}/detach': detachMethod,
}
