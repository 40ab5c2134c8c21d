import { expect, test } from 'vitest'
import { ownUrl } from './own-url.ts'

const own = (given?: string) => ownUrl({ PUBLIC_URL: 'https://app.example' }, 'returnUrl', given, '/dashboard/billing/')

test.each([
  'https://app.example.evil.example/',
  'https://app.example:8443/',
  'http://app.example/',
  'https://a:b@app.example/',
  'https://evil.example/?https://app.example/',
  '//app.example/',
  '/dashboard',
])('%s is no address of ours', (given) => {
  expect(() => own(given)).toThrow('returnUrl: must be an address that begins with https://app.example/')
})

test('our own pages are, and the default', () => {
  expect(own()).toBe('https://app.example/dashboard/billing/')
  expect(own('https://app.example/a?id={CHECKOUT_SESSION_ID}')).toBe('https://app.example/a?id={CHECKOUT_SESSION_ID}')
})
