import type Stripe from 'stripe'
import { invalid, noSuch } from '../api/errors.ts'
import { pageOf } from '../api/lists.ts'
import type { Handler } from '../objects/assign.ts'
import type { Fields, TaxId } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { countryOf, hasForm, isVerified, verdict } from './table.ts'

/** Adds a number to a customer, or to the account itself (null). EU and British numbers are then checked in their register. */
export async function addTaxId(
  tx: Session,
  customer: string | null,
  given: { type: string; value: string },
): Promise<TaxId> {
  const { type } = given
  const value = given.value.trim()
  if (!hasForm(type, value)) throw invalid(`Invalid value for ${type}.`, { code: 'tax_id_invalid', param: 'value' })
  const owner = customer ? await tx.customer(customer) : null
  if (owner && (await tx.find('tax_id', { customer })).length >= 5)
    throw invalid('A customer can have at most 5 tax IDs.', { param: 'value' })
  const checked = owner !== null && isVerified(type)
  const made = await tx.create<TaxId>('tax_id', 'txi', {
    type,
    value,
    country: countryOf(type, value),
    customer,
    owner: owner ? { type: 'customer', customer, customer_account: null } : { type: 'self', customer_account: null },
    verification: owner && { status: checked ? 'pending' : 'unavailable', verified_address: null, verified_name: null },
    _clock: owner?.test_clock ?? null,
    _due: checked && verdict(value) !== 'pending' ? tx.now : null,
  })
  if (owner) await tx.emit('customer.tax_id.created', made)
  return made
}

/** The register's answer for a number that waits. */
export async function verifyTaxId(tx: Session, id: TaxId): Promise<void> {
  const status = verdict(id.value)
  const owner = await tx.customer(id.customer ?? '')
  id._due = null
  id.verification = {
    status,
    verified_name: status === 'verified' ? (owner.name ?? null) : null,
    verified_address: status === 'verified' ? (owner.address?.line1 ?? null) : null,
  }
  await tx.save(id, 'customer.tax_id.updated')
}

async function find(tx: Session, id: string, customer?: string): Promise<TaxId> {
  if (customer) await tx.customer(customer)
  const found = await tx.get<TaxId>('tax_id', id)
  if (customer && found.customer !== customer) throw noSuch('tax_id', id)
  return found
}

async function remove(tx: Session, id: string, customer?: string): Promise<Fields> {
  const found = await find(tx, id, customer)
  if (found.customer) await tx.emit('customer.tax_id.deleted', found)
  return tx.remove(found)
}

const ownerOf = (params: { owner?: { type: string; customer?: string } }) => {
  const { type = 'self', customer } = params.owner ?? {}
  if (type === 'self') return null
  if (type === 'customer' && customer) return customer
  throw invalid('The sandbox knows owners of the types self and customer.', { param: 'owner' })
}

const listOf = async (tx: Session, customer: string | null, params: Fields, url: string) =>
  pageOf((await tx.find<TaxId>('tax_id', { customer })).reverse(), params, url)

export const taxIdHandlers: Record<string, Handler> = {
  'POST /v1/tax_ids': (tx, params: Stripe.TaxIdCreateParams) => addTaxId(tx, ownerOf(params), params),
  'GET /v1/tax_ids': (tx, params: Stripe.TaxIdListParams) =>
    listOf(tx, ownerOf(params), params as unknown as Fields, '/v1/tax_ids'),
  'DELETE /v1/tax_ids/{id}': (tx, _params, id) => remove(tx, id),
  'POST /v1/customers/{id}/tax_ids': (tx, params: Stripe.CustomerCreateTaxIdParams, id) => addTaxId(tx, id, params),
  'GET /v1/customers/{id}/tax_ids': async (tx, params, id) =>
    listOf(tx, (await tx.customer(id)).id, params, `/v1/customers/${id}/tax_ids`),
  'GET /v1/customers/{customer}/tax_ids/{id}': (tx, _params, id, customer) => find(tx, id, customer),
  'DELETE /v1/customers/{customer}/tax_ids/{id}': (tx, _params, id, customer) => remove(tx, id, customer),
}

/** `customer.tax_ids`, which is sent when a request expands it. */
export async function customerTaxIds(tx: Session, customer: string): Promise<TaxId[]> {
  return (await tx.find<TaxId>('tax_id', { customer })).reverse()
}
