/** A kind of tax ID that the Billing page takes. `form` is what it looks like without spaces, in capitals. */
export interface TaxIdKind {
  label: string
  example: string
  form: RegExp
}

/** European VAT numbers, by the country code that they begin with. */
const european: Record<string, string> = {
  AT: 'U\\d{8}',
  BE: '[01]\\d{9}',
  BG: '\\d{9,10}',
  CY: '\\d{8}[A-Z]',
  CZ: '\\d{8,10}',
  DE: '\\d{9}',
  DK: '\\d{8}',
  EE: '\\d{9}',
  EL: '\\d{9}',
  ES: '[A-Z0-9]\\d{7}[A-Z0-9]',
  FI: '\\d{8}',
  FR: '[A-HJ-NP-Z0-9]{2}\\d{9}',
  HR: '\\d{11}',
  HU: '\\d{8}',
  IE: '\\d[A-Z0-9+*]\\d{5}[A-Z]{1,2}',
  IT: '\\d{11}',
  LT: '(\\d{9}|\\d{12})',
  LU: '\\d{8}',
  LV: '\\d{11}',
  MT: '\\d{8}',
  NL: '\\d{9}B\\d{2}',
  PL: '\\d{10}',
  PT: '\\d{9}',
  RO: '\\d{2,10}',
  SE: '\\d{12}',
  SI: '\\d{8}',
  SK: '\\d{10}',
  XI: '(\\d{9}|\\d{12}|(GD|HA)\\d{3})',
}

/** By the payment provider's names. Customers with a number of another kind enter it on its pages. */
export const taxIdKinds: Record<string, TaxIdKind> = {
  eu_vat: {
    label: 'EU VAT number',
    example: 'DE123456789',
    form: new RegExp(
      `^(${Object.entries(european)
        .map((pair) => pair.join(''))
        .join('|')})$`,
    ),
  },
  gb_vat: { label: 'UK VAT number', example: 'GB123456789', form: /^GB(\d{9}|\d{12}|(GD|HA)\d{3})$/ },
  ch_vat: {
    label: 'Swiss VAT number',
    example: 'CHE-123.456.789 MWST',
    form: /^CHE-?\d{3}\.?\d{3}\.?\d{3}(MWST|TVA|IVA)$/,
  },
  no_vat: { label: 'Norwegian VAT number', example: '123456789MVA', form: /^\d{9}MVA$/ },
  us_ein: { label: 'US EIN', example: '12-3456789', form: /^\d{2}-\d{7}$/ },
  ca_gst_hst: { label: 'Canadian GST/HST number', example: '123456789RT0002', form: /^\d{9}RT\d{4}$/ },
  au_abn: { label: 'Australian business number', example: '12345678912', form: /^\d{11}$/ },
  in_gst: { label: 'Indian GST number', example: '12ABCDE3456FGZH', form: /^\d{2}[A-Z]{5}\d{4}[A-Z]\w{3}$/ },
  jp_trn: { label: 'Japanese registration number', example: 'T1234567891234', form: /^T\d{13}$/ },
}

/** As it is stored: in capitals, without spaces; a Swiss one with the space before its ending. */
export const normalTaxId = (type: string, value: string): string => {
  const plain = value.replace(/\s+/g, '').toUpperCase()
  return type === 'ch_vat' ? plain.replace(/(MWST|TVA|IVA)$/, ' $1') : plain
}

/** Whether a number has the form of its kind. It may still not exist. */
export const hasTaxIdForm = (type: string, value: string): boolean =>
  Object.hasOwn(taxIdKinds, type) && taxIdKinds[type]!.form.test(value.replace(/\s+/g, '').toUpperCase())
