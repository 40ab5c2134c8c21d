import type { Invoice } from '#contract/billing.ts'
import type { TaxDetails } from '#contract/tax-routes.ts'

export const taxText = {
  title: 'Tax details',
  about: 'For your invoices, and to compute the tax.',
  loading: 'Loading tax details...',
  failed: 'Tax details could not be loaded',
  address: 'Billing address',
  noAddress: 'None yet. The tax depends on it.',
  lost: 'The tax cannot be computed for this address. Check the country, postal code and state.',
  addAddress: 'Add address',
  changeAddress: 'Change',
  numbers: 'Tax IDs',
  noNumbers: 'None. Businesses can add a VAT number or another tax ID.',
  addNumber: 'Add tax ID',
  remove: 'Remove',
  removeTitle: (value: string) => `Remove ${value}?`,
  removeAbout: 'Future invoices do not show it. Their tax may change.',
  removing: 'Removing...',
  removed: 'Tax ID removed',
  states: {
    pending: { label: 'Being verified', tone: 'warning' },
    verified: { label: 'Verified', tone: 'success' },
    unverified: { label: 'Not verified', tone: 'danger' },
    unavailable: { label: 'Cannot be verified', tone: 'neutral' },
  } as const satisfies Record<TaxDetails['taxIds'][number]['state'], { label: string; tone: string }>,
}

export const addressText = {
  title: 'Billing address',
  about:
    'It appears on your invoices. The tax depends on the country, and in some countries on the state or postal code.',
  name: 'Name or company',
  country: 'Country',
  choose: 'Choose a country',
  line1: 'Address',
  line2: 'Address, second line (optional)',
  postalCode: 'Postal code',
  city: 'City',
  state: 'State or province (if any)',
  nameMissing: 'Enter the person or company that is invoiced.',
  countryMissing: 'Choose a country.',
  save: 'Save',
  saving: 'Saving...',
  saved: 'Billing address saved',
}

export const numberText = {
  title: 'Add a tax ID',
  about: 'It appears on your invoices. EU and UK numbers are then verified.',
  kind: 'Kind',
  value: 'Tax ID',
  looksLike: (example: string) => `For example ${example}.`,
  wrong: (example: string) => `This is not a tax ID of this kind. It looks like ${example}.`,
  save: 'Add',
  saving: 'Adding...',
  saved: 'Tax ID added',
}

/** Below the amount of an invoice. */
export const invoiceTaxText = {
  included: (amount: string) => `incl. ${amount} tax`,
  untaxed: {
    reverse_charge: 'Reverse charge',
    not_collecting: 'No tax is collected in this country',
    exempt: 'Tax exempt',
    no_location: 'No tax: address missing',
  } satisfies Record<NonNullable<NonNullable<Invoice['tax']>['untaxed']>, string>,
  /** A tax with its percentage: `VAT (19%)`. */
  line: (label: string, percent: number | null) => (percent === null ? label : `${label} (${percent}%)`),
  added: 'Tax is added when the invoice is made.',
}
