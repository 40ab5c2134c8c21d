import { expect, test } from 'vitest'
import { canonicalAddress } from './settings.ts'

test('another loopback name leads to the public address, with path, query and fragment', () => {
  expect(canonicalAddress(new URL('http://127.0.0.1:3000/login?error=x#y'), 'http://localhost:3000')).toBe(
    'http://localhost:3000/login?error=x#y',
  )
})

test('the public address itself, and anything that is not loopback on both sides, stays', () => {
  expect(canonicalAddress(new URL('http://localhost:3000/'), 'http://localhost:3000')).toBeNull()
  expect(canonicalAddress(new URL('https://intern.example.com/'), 'https://api.example.com')).toBeNull()
  expect(canonicalAddress(new URL('http://127.0.0.1:3000/'), 'https://api.example.com')).toBeNull()
})
