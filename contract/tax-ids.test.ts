import { expect, test } from 'vitest'
import { hasTaxIdForm, normalTaxId } from './tax-ids.ts'

test.each([
  ['eu_vat', 'ATU12345678'],
  ['eu_vat', 'BE0123456789'],
  ['eu_vat', 'CY12345678Z'],
  ['eu_vat', 'DE123456789'],
  ['eu_vat', 'EL123456789'],
  ['eu_vat', 'ESA1234567Z'],
  ['eu_vat', 'FRAB123456789'],
  ['eu_vat', 'IE1234567WA'],
  ['eu_vat', 'LT123456789123'],
  ['eu_vat', 'NL123456789B12'],
  ['eu_vat', 'XI123456789'],
  ['gb_vat', 'GB999999973'],
  ['ch_vat', 'CHE123456789TVA'],
  ['no_vat', '123456789MVA'],
  ['us_ein', '12-3456789'],
  ['ca_gst_hst', '123456789RT0002'],
  ['au_abn', '12345678912'],
  ['in_gst', '12ABCDE3456FGZH'],
  ['jp_trn', 'T1234567891234'],
])('%s: %s has its form, however it is spaced and written', (type, value) => {
  expect(hasTaxIdForm(type, value)).toBe(true)
  expect(hasTaxIdForm(type, ` ${value.toLowerCase().split('').join(' ')} `)).toBe(true)
})

test.each([
  ['eu_vat', 'GR123456789'],
  ['eu_vat', 'DE1234567890'],
  ['eu_vat', 'DEDE123456789'],
  ['eu_vat', 'NL123456789012'],
  ['eu_vat', 'GB123456789'],
  ['gb_vat', '123456789'],
  ['us_ein', '123456789'],
  ['none', 'DE123456789'],
  ['__proto__', '11'],
  ['constructor', '11'],
])('%s: %s has not', (type, value) => {
  expect(hasTaxIdForm(type, value)).toBe(false)
})

test('a number is kept in capitals and without spaces, a Swiss one with the space before its ending', () => {
  expect(normalTaxId('eu_vat', ' de 123 456 789 ')).toBe('DE123456789')
  expect(normalTaxId('ch_vat', 'che-123.456.789mwst')).toBe('CHE-123.456.789 MWST')
})
