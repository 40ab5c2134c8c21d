import { expect, test } from 'vitest'
import { avatarLetter } from './avatar.tsx'

test.each([
  ['ada@example.com', 'A'],
  ['émile@example.com', 'É'],
  ['', 'U'],
  [null, 'U'],
  [undefined, 'U'],
])('%s has the letter %s', (email, letter) => expect(avatarLetter(email)).toBe(letter))
