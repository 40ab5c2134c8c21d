import { StripeError } from '../api/errors.ts'
import type { Address, Customer } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { assess } from './settings.ts'

/** Where a customer is taxed. */
export interface Place {
  country: string
  state: string | null
  source: 'shipping_destination' | 'billing_address'
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const isCountry = (code: string) => /^[A-Z]{2}$/.test(code) && code !== 'ZZ' && regions.of(code) !== undefined

/** The place of an address; null if a tax could not be computed there. The US and Canada need a state or a postal code. */
export function placeAt(
  address: Address | null | undefined,
  source: Place['source'] = 'billing_address',
): Place | null {
  const country = address?.country?.toUpperCase() ?? ''
  if (!isCountry(country)) return null
  const { state, postal_code: code } = address as Address
  if (country !== 'US' && country !== 'CA') return { country, state: state || null, source }
  const californian = country === 'US' && /^9[0-6]\d{3}/.test(code ?? '') && (code ?? '') < '96163'
  if (!state && !/^([A-Za-z]\d|\d{5})/.test(code ?? '')) return null
  const name = state?.toUpperCase() || (californian ? 'CA' : null)
  return { country, state: name === 'CALIFORNIA' ? 'CA' : name, source }
}

/** The place of a customer: a shipping address, even a bad one, comes before the billing address. */
export const placeOf = ({ shipping, address }: Customer): Place | null =>
  shipping ? placeAt(shipping.address, 'shipping_destination') : placeAt(address)

/** The 400 for a customer whose place is unknown. With `keep`, what the request wrote stays. */
export function locationInvalid(keep = false): StripeError {
  const message =
    "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax."
  return new StripeError(400, { type: 'invalid_request_error', code: 'customer_tax_location_invalid', message }, keep)
}

/** `customer.tax`, which is sent when a request expands it. */
export async function customerTax(tx: Session, customer: Customer): Promise<object> {
  const place = placeOf(customer)
  const registered = place && (await assess(tx, place)).registered
  return {
    automatic_tax: !place ? 'unrecognized_location' : registered ? 'supported' : 'not_collecting',
    ip_address: customer._ip ?? null,
    location: place,
    provider: 'stripe',
  }
}
