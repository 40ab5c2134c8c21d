import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'fm_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_CHARACTERS = 32
const CHECKSUM_CHARACTERS = 6
const START_CHARACTERS = 8
// The greatest multiple of 62 in a byte: higher values would bias the choice toward the first characters.
const UNBIASED_BELOW = 248
const KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_CHARACTERS + CHECKSUM_CHARACTERS}}$`)
const CHECKSUM_AT = PREFIX.length + SECRET_CHARACTERS

/** A new key: `fm_`, 32 random base62 characters (190 bits), 6 base62 characters of the CRC-32 of those 32. */
export function makeKey(): string {
  let secret = ''
  while (secret.length < SECRET_CHARACTERS) {
    for (const byte of randomBytes(SECRET_CHARACTERS)) {
      if (byte < UNBIASED_BELOW && secret.length < SECRET_CHARACTERS) secret += ALPHABET[byte % ALPHABET.length]
    }
  }
  return PREFIX + secret + checksum(secret)
}

/** Whether the text has a key's length and characters. Does not check the checksum. */
export const hasKeyForm = (text: string): boolean => KEY.test(text)

/** Whether the text can be one of our keys. Needs no lookup, so junk and typos never reach the database. */
export const isWellFormedKey = (text: string): boolean =>
  KEY.test(text) && text.slice(CHECKSUM_AT) === checksum(text.slice(PREFIX.length, CHECKSUM_AT))

/**
 * SHA-256 in base64: enough for a secret of 190 random bits, and fast enough for every call (producing text is four
 * times as fast as a Buffer).
 */
export const hashKey = (key: string): string => hash('sha256', key, 'base64')

/** A hash as stored in the database. */
export const hashBytes = (hashText: string): Buffer => Buffer.from(hashText, 'base64')

/** The displayable prefix that tells keys apart. */
export const startOf = (key: string): string => key.slice(0, START_CHARACTERS)

function checksum(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = ALPHABET[rest % ALPHABET.length] + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
