import { expect, test } from 'vitest'
import { displayName } from './display-name.ts'

test.each([
  ['Ada Lovelace', 'ada@example.com', 'Ada Lovelace'],
  ['  ', 'ada@example.com', 'ada'],
  [null, 'ada@example.com', 'ada'],
  [null, '@example.com', 'User'],
  [null, null, 'User'],
  [null, '', 'User'],
])('%j with %j is called %j', (fullName, email, name) => {
  expect(displayName({ fullName, email })).toBe(name)
})
