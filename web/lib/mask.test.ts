import { expect, test } from 'vitest'
import { maskKey, shortenKey } from './mask.ts'

test('a table shows only the first 8 characters', () => {
  const key = 'fm_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789ab'
  expect(maskKey(key)).toMatch(/^fm_AbCdE•+$/)
})

test.each([
  ['0123456789abcdef', '0123456789abcdef'],
  ['0123456789abcdefg', '01234567...9abcdefg'],
  ['short', 'short'],
  [null, 'Invalid API Key'],
  [undefined, 'Invalid API Key'],
  [42, 'Invalid API Key'],
  ['', 'Invalid API Key'],
])('%s is named %s', (key, shown) => expect(shortenKey(key)).toBe(shown))
