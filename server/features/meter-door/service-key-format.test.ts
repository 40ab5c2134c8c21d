import { expect, test } from 'vitest'
import { isWellFormedKey } from '../keys/key-format.ts'
import { isWellFormedServiceKey, newServiceKey } from './service-key-format.ts'

test('a service key is no API key, and a typo is noticed without a lookup', () => {
  const key = newServiceKey()
  expect(key).toMatch(/^fms_[0-9A-Za-z]{38}$/)
  expect([isWellFormedServiceKey(key), isWellFormedKey(key)]).toEqual([true, false])
  const typo = key.slice(0, 10) + (key[10] === 'a' ? 'b' : 'a') + key.slice(11)
  expect(isWellFormedServiceKey(typo)).toBe(false)
  expect(isWellFormedServiceKey(key.replace('fms_', 'fm_'))).toBe(false)
  expect(newServiceKey()).not.toBe(key)
})
