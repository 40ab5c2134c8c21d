import { asked } from '../billing/checkout-tax.ts'
import { money } from '../billing/money.ts'
import type { Address, CheckoutSession, Customer, Invoice, Tax } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { type Html, html } from './layout.ts'

const idTypes: [type: string, text: string][] = [
  ['eu_vat', 'EU VAT'],
  ['gb_vat', 'UK VAT'],
  ['ch_vat', 'Swiss VAT'],
  ['us_ein', 'US EIN'],
]

const regions = new Intl.DisplayNames('en', { type: 'region' })
/** The countries that the page offers: those of the tax table, and some without tax. */
const countries = ['AT', 'AU', 'CA', 'CH', 'DE', 'FR', 'GB', 'IE', 'IT', 'JP', 'KW', 'NL', 'US']

const field = (name: string, text: string, value: string | null | undefined, autocomplete: string) =>
  html`<label>${text}<input type="text" name="${name}" value="${value ?? ''}" autocomplete="${autocomplete}"></label>`

/** Fields for an address. */
export function placeFields(address: Partial<Address> = {}): Html {
  const { country, line1, city, state, postal_code: code } = address
  const known = country && !countries.includes(country) ? [country] : []
  const options = [...known, ...countries].map(
    (one) => html`<option value="${one}"${one === country ? html` selected` : null}>${regions.of(one)}</option>`,
  )
  return html`<label>Country<select name="country" autocomplete="country"><option value="">Choose a country</option>${options}</select></label>
${field('line1', 'Address', line1, 'address-line1')}${field('city', 'City', city, 'address-level2')}${field('state', 'State', state, 'address-level1')}${field('postal_code', 'Postal code', code, 'postal-code')}`
}

/** Fields for a tax id. */
export function taxIdFields(given?: { type: string; value: string }): Html {
  const types = idTypes.map(
    ([type, text]) => html`<option value="${type}"${type === given?.type ? html` selected` : null}>${text}</option>`,
  )
  return html`<label>Type of tax ID<select name="tax_id_type">${types}</select></label>${field('tax_id', 'Tax ID', given?.value, 'off')}`
}

export const nameField = (name: 'business_name' | 'individual_name', text: string, value?: string | null): Html =>
  field(name, text, value, name === 'business_name' ? 'organization' : 'name')

/** The fields for what a session asks of a buyer besides a card; null if it asks for nothing. */
export async function buyerFields(tx: Session, session: CheckoutSession): Promise<Html | null> {
  const wants = asked(session)
  if (!Object.values(wants).some(Boolean)) return null
  const customer: Customer | null = session.customer ? await tx.customer(session.customer) : null
  const { address, business_name: business, individual_name: individual, tax_id: id } = session._details ?? {}
  return html`<fieldset class="buyer"><legend>Billing details</legend><input type="hidden" name="asked" value="yes">
${wants.individual ? nameField('individual_name', 'Name', individual) : null}
${wants.business ? nameField('business_name', 'Business name', business ?? customer?.name) : null}
${wants.address ? placeFields(address ?? customer?.address ?? {}) : null}${wants.taxId ? taxIdFields(id) : null}
<button name="outcome" value="details">Update total</button></fieldset>`
}

const reasons: Record<string, string> = {
  reverse_charge: 'Tax to be paid by the buyer on reverse charge basis',
  customer_exempt: 'Exempt from tax',
}

/** Rows for the taxes of an invoice: one for each rate, or the reason why there is none. */
export function taxRows(taxes: Tax[] | null | undefined, currency: string): [text: string, amount: string][] {
  return (taxes ?? []).flatMap((tax): [string, string][] => {
    const text = tax.amount === 0 ? reasons[tax.taxability_reason] : tax._text
    return text ? [[text, money(tax.amount, currency)]] : []
  })
}

/** The buyer's address and tax ids, each in one line. */
export const buyerLines = (invoice: Invoice): string[] => {
  const { line1, postal_code, city, state, country } = (invoice.customer_address ?? {}) as Partial<Address>
  const ids = (invoice.customer_tax_ids ?? []) as { value: string }[]
  return [
    [line1, postal_code, city, state, country].filter(Boolean).join(', '),
    ids.map(({ value }) => value).join(', '),
  ]
}
