import { expect, test } from 'vitest'
import { callbackErrorText } from './text.ts'

test.each(['auth_failed', 'no_session', 'callback_failed'])('%s is explained', (code) =>
  expect(callbackErrorText(code)).toMatch(/try again/i),
)

test('an unknown code is not echoed, and no code is no error', () => {
  expect(callbackErrorText('<b>call 555</b>')).toBe('Sign-in failed. Please try again.')
  expect(callbackErrorText(undefined)).toBeNull()
})
