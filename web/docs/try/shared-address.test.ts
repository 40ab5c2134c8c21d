import { expect, test } from 'vitest'
import { sharedQuery, sharedValues } from './shared-address.ts'

const fields = [
  { name: 'symbol', value: 'AAPL' },
  { name: 'range', value: '' },
  { name: 'columns', value: 'date,close' },
]

test('a filled form is in the address, once, beside what else is there', () => {
  expect(sharedQuery('?ref=mail&symbol=VIX&range=1y', fields, false)).toBe('?ref=mail&symbol=AAPL&columns=date%2Cclose')
  expect(sharedQuery('?symbol=VIX', fields, true)).toBe('')
})

test('a shared address gives the same form back; fields that it leaves out are empty', () => {
  const names = fields.map(({ name }) => name)
  expect([...sharedValues(sharedQuery('', fields, false), names)!]).toEqual([
    ['symbol', 'AAPL'],
    ['range', ''],
    ['columns', 'date,close'],
  ])
  expect(sharedValues('?ref=mail', names)).toBeNull()
})

test('a key or token never gets into the address', () => {
  for (const key of [`fm_${'a1'.repeat(19)}`, `fmat_${'a1-_'.repeat(10)}`])
    expect(sharedQuery('', [{ name: 'q', value: key }], false)).toBe('?q=YOUR_API_KEY')
})
