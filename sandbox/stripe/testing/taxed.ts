import type Stripe from 'stripe'
import { customerWith, seconds } from './harness.ts'

/** Turns on Stripe Tax for a seller in Berlin, registered in these places. */
export async function sellFrom(stripe: Stripe, ...places: ('DE' | 'OSS' | 'FR' | 'GB' | 'CH' | 'US-CA')[]) {
  await stripe.tax.settings.update({
    head_office: { address: { country: 'DE', city: 'Berlin', line1: 'Torstr. 1', postal_code: '10115' } },
  })
  for (const place of places) {
    const country = place === 'OSS' ? 'DE' : place.slice(0, 2)
    const standard = { type: 'standard' as const, standard: { place_of_supply_scheme: 'standard' as const } }
    const options = {
      OSS: { de: { type: 'oss_union' as const } },
      'US-CA': { us: { type: 'state_sales_tax' as const, state: 'CA' } },
    }
    const country_options = options[place as 'OSS'] ?? { [country.toLowerCase()]: standard }
    await stripe.tax.registrations.create({ country, active_from: 'now', country_options })
  }
}

/** Addresses by the name of their place. */
export const addresses = {
  DE: { country: 'DE', line1: 'Torstr. 2', postal_code: '10115', city: 'Berlin' },
  FR: { country: 'FR', line1: '1 rue de Rivoli', postal_code: '75001', city: 'Paris' },
  GB: { country: 'GB', line1: '1 Strand', postal_code: 'WC2N 5HR', city: 'London' },
  CH: { country: 'CH', line1: 'Bahnhofstr. 1', postal_code: '8001', city: 'Zürich' },
  'US-CA': { country: 'US', line1: '1 Market St', postal_code: '94105', city: 'San Francisco', state: 'CA' },
  'US-NY': { country: 'US', line1: '1 Broadway', postal_code: '10004', city: 'New York', state: 'NY' },
  AT: { country: 'AT', line1: 'Ring 1', postal_code: '1010', city: 'Wien' },
} satisfies Record<string, Stripe.AddressParam>

/** A customer with a card who lives at a place, on a test clock of their own. */
export async function buyerAt(
  stripe: Stripe,
  place: keyof typeof addresses | null,
  extra: Stripe.CustomerCreateParams = {},
) {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: seconds('2026-11-01T00:00:00Z') })
  const address = place ? { address: addresses[place] } : {}
  const customer = await customerWith(stripe, 'pm_card_visa', { test_clock: clock.id, ...address, ...extra })
  const to = (iso: string) => stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: seconds(iso) })
  const invoices = async () => (await stripe.invoices.list({ customer: customer.id, limit: 100 })).data
  return { customer, to, invoices }
}

/** A draft with automatic tax over amounts in cents. */
export async function taxedDraft(
  stripe: Stripe,
  customer: string,
  amounts: number[],
  item: Partial<Stripe.InvoiceItemCreateParams> = { tax_behavior: 'exclusive' },
  currency = 'eur',
): Promise<Stripe.Invoice> {
  const automatic_tax = { enabled: item.tax_rates === undefined }
  const invoice = (await stripe.invoices.create({ customer, currency, automatic_tax })).id as string
  for (const amount of amounts)
    await stripe.invoiceItems.create({ customer, invoice, amount, description: 'Credits', ...item })
  return stripe.invoices.retrieve(invoice)
}

export const taxesOf = (invoice: Stripe.Invoice | Stripe.CreditNote) =>
  (invoice.total_taxes ?? []).map((tax) => [tax.amount, tax.taxability_reason, tax.tax_behavior, tax.taxable_amount])
