import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { makeDataDir } from './make-data-dir.ts'

const IV_BYTES = 12
const TAG_BYTES = 16

/** Encryption at rest (AES-256-GCM) under KEYS_SECRET, with a separate key per purpose. */
export interface Secrets {
  /** `purpose` names the column; `context` (a row's id) is authenticated, so a ciphertext cannot be moved to another row. */
  encrypt: (purpose: string, plaintext: string, context: string) => Buffer
  /** Throws when the ciphertext was altered, moved, or encrypted with another secret. */
  decrypt: (purpose: string, ciphertext: Buffer, context: string) => string
  /** A 32-byte key derived for `purpose`, for HMAC and the like. */
  derive: (purpose: string) => Buffer
}

/** `rootHex` is KEYS_SECRET: 64 hexadecimal digits. */
export function createSecrets(rootHex: string): Secrets {
  const root = Buffer.from(rootHex, 'hex')
  const keys = new Map<string, Buffer>()
  const derive = (purpose: string): Buffer => {
    const known = keys.get(purpose)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', root, '', `finmeter:${purpose}`, 32))
    keys.set(purpose, key)
    return key
  }
  return {
    derive,
    encrypt(purpose, plaintext, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', derive(purpose), iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body])
    },
    decrypt(purpose, ciphertext, context) {
      const decipher = createDecipheriv('aes-256-gcm', derive(purpose), ciphertext.subarray(0, IV_BYTES))
      decipher.setAAD(Buffer.from(context)).setAuthTag(ciphertext.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(ciphertext.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      )
    },
  }
}

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
