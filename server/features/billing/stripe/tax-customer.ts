import Stripe from 'stripe'
import { AppError } from '../../../http/errors.ts'
import type { StripeAccess } from './client.ts'
import { isMissing } from './failure.ts'

export interface Address {
  /** ISO code of two letters. */
  country: string
  line1: string | null
  line2: string | null
  city: string | null
  postalCode: string | null
  state: string | null
}

export interface TaxIdFacts {
  id: string
  /** Stripe's name of its kind, such as eu_vat. */
  type: string
  value: string
  country: string | null
  state: 'pending' | 'verified' | 'unverified' | 'unavailable'
}

/** What Stripe knows of a customer that taxes depend on. */
export interface TaxCustomer {
  name: string | null
  address: Address | null
  /** With Stripe Tax, whether it can compute: supported, not_collecting, unrecognized_location, failed. */
  location: string | null
  taxIds: TaxIdFacts[]
}

/** Null: the customer was deleted. */
export async function fetchTaxCustomer({ client, taxes }: StripeAccess, id: string): Promise<TaxCustomer | null> {
  const found = await client.customers.retrieve(id, { expand: ['tax_ids', ...(taxes === 'stripe' ? ['tax'] : [])] })
  if (found.deleted) return null
  return {
    name: found.name ?? null,
    address: addressOf(found.address),
    location: found.tax?.automatic_tax ?? null,
    taxIds: (found.tax_ids?.data ?? []).map(factsOf),
  }
}

/** Null: none, or one without a country. */
export const addressOf = (given: Stripe.Address | null | undefined): Address | null =>
  given?.country
    ? {
        country: given.country,
        line1: given.line1,
        line2: given.line2,
        city: given.city,
        postalCode: given.postal_code,
        state: given.state,
      }
    : null

const states = ['pending', 'verified', 'unverified', 'unavailable'] as const

const factsOf = ({ id, type, value, country, verification }: Stripe.TaxId): TaxIdFacts => ({
  id,
  type,
  value,
  country,
  // Countries whose numbers nobody verifies have no state, or one that is not available.
  state: states.find((one) => one === verification?.status) ?? 'unavailable',
})

/** Where a customer is. Throws invalid_parameter when Stripe cannot tell the taxes of this place. */
export async function updateAddress(
  { client, taxes }: StripeAccess,
  id: string,
  name: string,
  { country, line1, line2, city, postalCode, state }: Address,
): Promise<void> {
  await refusing(
    'address',
    'the payment provider does not know this place. Check the country, postal code and state.',
    () =>
      client.customers.update(id, {
        name,
        // Stripe refuses empty texts; what is not named is gone with the old address.
        address: {
          country,
          ...(line1 && { line1 }),
          ...(line2 && { line2 }),
          ...(city && { city }),
          ...(postalCode && { postal_code: postalCode }),
          ...(state && { state }),
        },
        ...(taxes === 'stripe' && { tax: { validate_location: 'immediately' as const } }),
      }),
  )
}

/** Throws invalid_parameter when Stripe says that no such number can exist. */
export async function addTaxId({ client }: StripeAccess, customerId: string, type: string, value: string) {
  await refusing('value', 'the payment provider says that this is not a valid tax ID. Check it for typos.', () =>
    client.customers.createTaxId(customerId, { type: type as Stripe.CustomerCreateTaxIdParams['type'], value }),
  )
}

/** One that is gone already is left alone. */
export async function removeTaxId({ client }: StripeAccess, customerId: string, id: string): Promise<void> {
  try {
    await client.customers.deleteTaxId(customerId, id)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

const REFUSALS = ['customer_tax_location_invalid', 'invalid_tax_location', 'tax_id_invalid']

async function refusing(param: string, text: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || !REFUSALS.includes(error.code ?? '')) throw error
    throw new AppError('invalid_parameter', `${param}: ${text}`, { param })
  }
}
