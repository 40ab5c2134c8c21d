import { expect, test } from 'vitest'
import { maskKey, shortenKey, withoutKeys } from './mask.ts'

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

test('no key of any shop, and no access token, is left in a text', () => {
  const secret = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789ab'
  for (const prefix of ['fm_', 'nw_', 'wxyz_', 'fmat_'])
    expect(withoutKeys(`apikey=${prefix}${secret}&x`)).toBe('apikey=YOUR_API_KEY&x')
  expect(withoutKeys('get_bars and weather_get_forecast')).toBe('get_bars and weather_get_forecast')
})
