import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { makeDataDir } from '../data-dir/make.ts'
import { hmacSha256 } from './hmac.ts'
import type { SealedPurpose } from './sealed-columns.ts'

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encryption at rest (AES-256-GCM) under KEYS_SECRET, with a separate key per purpose. What a previous secret encrypted
 * or signed is still accepted; nothing new is made with it.
 */
export interface Secrets {
  /**
   * `purpose` names the column in `sealed-columns.ts`; `context` (a row's id) is authenticated, so a ciphertext cannot be
   * moved to another row.
   */
  encrypt: (purpose: SealedPurpose, plaintext: string, context: string) => Buffer
  /** Throws when the ciphertext was altered, moved, or encrypted with another secret. */
  decrypt: (purpose: SealedPurpose, ciphertext: Buffer, context: string) => string
  /** The same text under the present secret; null: it already is. Throws as `decrypt` does. */
  renew: (purpose: SealedPurpose, ciphertext: Buffer, context: string) => Buffer | null
  /** The HMAC-SHA-256 of `text`. */
  mac: (purpose: string, text: string) => Buffer
  /** Whether `given` is that of the present or a previous secret. Takes the same time for each wrong one. */
  isMac: (purpose: string, text: string, given: Buffer) => boolean
  /** The HMAC under KEYS_SECRET_PREVIOUS; without one, as `mac`. */
  previousMac: (purpose: string, text: string) => Buffer
  /** A 32-byte key of the present secret, derived for `purpose`. */
  derive: (purpose: string) => Buffer
}

/** `present` is KEYS_SECRET, `previous` KEYS_SECRET_PREVIOUS: 64 hexadecimal digits each. */
export function createSecrets(present: string, previous?: string): Secrets {
  const now = deriver(present)
  const roots = previous === undefined ? [now] : [now, deriver(previous)]
  const encrypt: Secrets['encrypt'] = (purpose, plaintext, context) => seal(now(purpose), plaintext, context)
  const decrypt: Secrets['decrypt'] = (purpose, ciphertext, context) => {
    const text = roots.map((derive) => open(derive(purpose), ciphertext, context)).find((found) => found !== null)
    if (text === undefined || text === null) throw new Error('This ciphertext was altered, or is of another secret.')
    return text
  }
  return {
    derive: now,
    encrypt,
    decrypt,
    renew: (purpose, ciphertext, context) =>
      open(now(purpose), ciphertext, context) === null
        ? encrypt(purpose, decrypt(purpose, ciphertext, context), context)
        : null,
    mac: (purpose, text) => hmacSha256(now(purpose), text),
    previousMac: (purpose, text) => hmacSha256((roots.at(-1) ?? now)(purpose), text),
    isMac: (purpose, text, given) =>
      roots
        .map((derive) => hmacSha256(derive(purpose), text))
        .map((wanted) => given.length === wanted.length && timingSafeEqual(given, wanted))
        .includes(true),
  }
}

/** Derives a key per purpose from a root secret, each once. */
function deriver(rootHex: string): (purpose: string) => Buffer {
  const root = Buffer.from(rootHex, 'hex')
  const keys = new Map<string, Buffer>()
  return (purpose) => {
    const known = keys.get(purpose)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', root, '', `finmeter:${purpose}`, 32))
    keys.set(purpose, key)
    return key
  }
}

function seal(key: Buffer, plaintext: string, context: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body])
}

/** The text, or null if this key does not open it. */
function open(key: Buffer, ciphertext: Buffer, context: string): string | null {
  const tag = ciphertext.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)
  if (tag.length < TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', key, ciphertext.subarray(0, IV_BYTES))
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  const text = decipher.update(ciphertext.subarray(IV_BYTES + TAG_BYTES))
  try {
    decipher.final()
    return text.toString('utf8')
  } catch {
    return null
  }
}

/** The secrets of this configuration; outside production, KEYS_SECRET may come from FINMETER_DATA_DIR. */
export const secretsOf = (config: Config): Secrets =>
  createSecrets(config.KEYS_SECRET ?? localSecrets(config).keysSecret, config.KEYS_SECRET_PREVIOUS)

interface LocalSecrets {
  keysSecret: string
  databasePassword: string
}

/** Secrets of a development installation, generated once and readable by this user only. */
export function localSecrets(config: Config): LocalSecrets {
  const file = join(config.FINMETER_DATA_DIR, 'secrets.json')
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LocalSecrets
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new Error(`${file} cannot be read: ${String(error)}`)
  }
  const made = { keysSecret: randomBytes(32).toString('hex'), databasePassword: randomBytes(24).toString('hex') }
  makeDataDir(config.FINMETER_DATA_DIR)
  writeFileSync(file, JSON.stringify(made, null, 2), { mode: 0o600 })
  chmodSync(file, 0o600)
  return made
}
