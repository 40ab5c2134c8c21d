/** What the sandbox knows of the world's taxes: enough to see each kind of answer once. */
interface Jurisdiction {
  percentage: number
  tax_type: 'vat' | 'sales_tax'
  /** As generated tax rates name it. */
  display_name: string
  name: string
}

const vat = (percentage: number, name: string): Jurisdiction => ({
  percentage,
  tax_type: 'vat',
  display_name: 'VAT',
  name,
})

/** By country, or country and state. */
export const jurisdictions: Record<string, Jurisdiction> = {
  DE: vat(19, 'Germany'),
  FR: vat(20, 'France'),
  GB: vat(20, 'United Kingdom'),
  CH: vat(8.1, 'Switzerland'),
  'US-CA': { percentage: 7.25, tax_type: 'sales_tax', display_name: 'Sales Tax', name: 'California' },
}

const union = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))
export const inUnion = (country: string | null | undefined): boolean => union.has(country ?? '')

/** The tax id with which a business from another country is charged in reverse there. */
export const reverseChargeId = (country: string): string | null =>
  inUnion(country) ? 'eu_vat' : country === 'GB' ? 'gb_vat' : null

/** Why goods of this tax code bear no tax there, if they do not: all that is "nontaxable", and software in California. */
export function exemption(code: string | null, place: string): 'not_subject_to_tax' | 'product_exempt' | null {
  if (code === 'txcd_00000000') return 'not_subject_to_tax'
  return place === 'US-CA' && /^txcd_10/.test(code ?? '') ? 'product_exempt' : null
}

const forms: Record<string, RegExp> = {
  eu_vat:
    /^(DE\d{9}|FR[0-9A-HJ-NP-Z]{2}\d{9}|(?!DE|FR)(AT|BE|BG|CY|CZ|DK|EE|EL|ES|FI|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)[0-9A-Z+*]{2,12})$/,
  gb_vat: /^GB(\d{9}|\d{12}|(GD|HA)\d{3})$/,
  ch_vat: /^CHE-?\d{3}\.?\d{3}\.?\d{3} ?(MWST|TVA|IVA)$/,
  us_ein: /^\d{2}-\d{7}$/,
}

/** Numbers that are checked in a register, a while after they were entered. */
export const isVerified = (type: string): boolean => type === 'eu_vat' || type === 'gb_vat'

/** Whether a number has the form of its type. Test numbers have nine equal digits; types outside the table pass. */
export const hasForm = (type: string, value: string): boolean =>
  (isVerified(type) && /^(\d)\1{8}$/.test(value)) || (forms[type]?.test(value) ?? true)

type Verification = 'verified' | 'unverified' | 'pending' | 'unavailable'

/** What the register answers: Stripe's test numbers 000000000, 111111111 and 222222222, and 333333333 of the sandbox. */
export function verdict(value: string): Verification {
  const digit = /(\d)\1{8}$/.exec(value)?.[1] ?? ''
  return ({ '1': 'unverified', '2': 'pending', '3': 'unavailable' } as const)[digit] ?? 'verified'
}

/** The country of a number: an EU number names it, other types belong to one. */
export function countryOf(type: string, value: string): string | null {
  if (type === 'eu_vat') return /^[A-Z]{2}/.test(value) ? value.slice(0, 2).replace('EL', 'GR') : null
  return /^[a-z]{2}_/.test(type) ? type.slice(0, 2).toUpperCase() : null
}
