import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashBytes, hashKey, isWellFormedKey, makeKey, startOf } from './key-format.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** CRC-32 (IEEE) bit by bit, as an independent check. */
function crc32Slowly(text: string): number {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

describe('the form of a key', () => {
  test('is fm_, 32 base62 characters and their CRC-32 in 6 base62 characters', () => {
    for (let i = 0; i < 200; i++) {
      const key = makeKey()
      expect(key).toMatch(/^fm_[0-9A-Za-z]{38}$/)
      const number = [...key.slice(35)].reduce((sum, letter) => sum * 62 + ALPHABET.indexOf(letter), 0)
      expect(number).toBe(crc32Slowly(key.slice(3, 35)))
      expect(isWellFormedKey(key)).toBe(true)
    }
  })

  test('begins with the prefix of the shop, two to four small letters', () => {
    for (const prefix of ['nw_', 'wxyz_']) {
      const key = makeKey(prefix)
      expect(key).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`))
      expect(isWellFormedKey(key)).toBe(true)
      expect(startOf(key)).toBe(key.slice(0, prefix.length + 5))
    }
    const secret = makeKey().slice(3)
    for (const prefix of ['', '_', 'a_', 'abcde_', 'Ab_', 'a1_', 'ab-'])
      expect([prefix, isWellFormedKey(prefix + secret)]).toEqual([prefix, false])
  })

  test('uses every character equally often', () => {
    const counts = new Map<string, number>()
    const keys = 4_000
    for (let i = 0; i < keys; i++)
      for (const letter of makeKey().slice(3, 35)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    const expected = (keys * 32) / 62
    const chiSquare = [...ALPHABET].reduce(
      (sum, letter) => sum + ((counts.get(letter) ?? 0) - expected) ** 2 / expected,
      0,
    )
    // 61 degrees of freedom: chance exceeds 120 about once in 100,000 runs; modulo bias gives thousands.
    expect(chiSquare).toBeLessThan(120)
  })

  test('any changed, cut or added character invalidates it, and so does a change of case', () => {
    const key = makeKey()
    // Another prefix may be one that a shop chose: then the hash decides.
    for (let at = 2; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x'
      expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
    }
    for (const wrong of [
      '',
      'fm_',
      key.slice(0, -1),
      `${key}a`,
      ` ${key}`,
      `${key}\n`,
      key.toUpperCase(),
      `${key}\0`,
      'é'.repeat(41),
    ])
      expect(isWellFormedKey(wrong)).toBe(false)
  })

  test('is looked up by SHA-256 and displayed by its first 8 characters', () => {
    const key = makeKey()
    expect(hashBytes(hashKey(key))).toEqual(createHash('sha256').update(key).digest())
    expect(startOf(key)).toBe(key.slice(0, 8))
  })
})
