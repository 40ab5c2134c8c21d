import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import bcrypt from 'bcryptjs'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { isCommonPassword } from './common-passwords.ts'

/** The limit of bcrypt, kept so that users can move to a hosted service and back. */
const LONGEST_BYTES = 72
const MEMORY_KIB = 19_456
const PASSES = 2
const HASH_BYTES = 32
/** Each hash takes 19 MB and a core for a tenth of a second. */
const AT_ONCE = 2

/**
 * Checks a new password; existing ones may be shorter than AUTH_PASSWORD_LENGTH. Throws weak_password (`length` or
 * `pwned`), or validation_failed if it is too long.
 */
export async function checkPassword({ config }: Pick<AuthDeps, 'config'>, password: string): Promise<void> {
  const shortest = config.AUTH_PASSWORD_LENGTH
  if (Buffer.byteLength(password) > LONGEST_BYTES)
    throw new AuthError(400, 'validation_failed', 'Password cannot be longer than 72 characters')
  if ([...password].length < shortest) throw weak(`Password should be at least ${shortest} characters.`, 'length')
  if (await isCommonPassword(password))
    throw weak('Password is known to be weak and easy to guess, please choose a different one.', 'pwned')
}

/** Refuses the first password of an account where AUTH_PASSWORD_SIGNUP is off. Throws 422 signup_disabled. */
export function refuseFirstPassword({ config }: Pick<AuthDeps, 'config'>): void {
  if (config.AUTH_PASSWORD_SIGNUP === 'on') return
  throw new AuthError(
    422,
    'signup_disabled',
    'New passwords are disabled for this instance. Sign in with a provider, or by a code or link.',
  )
}

const weak = (message: string, reason: 'length' | 'pwned'): AuthError =>
  new AuthError(422, 'weak_password', message, { detail: { weak_password: { reasons: [reason] } } })

/** Argon2id in the PHC form, which hosted projects import. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, MEMORY_KIB, PASSES, 1, HASH_BYTES)
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${unpadded(salt)}$${unpadded(hash)}`
}

/**
 * Whether `password` made `stored`: Argon2id, or bcrypt for users imported from a hosted project. With `stored` null it
 * takes as long and is false, so that timing does not reveal whether an account exists.
 */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  if (Buffer.byteLength(password) > LONGEST_BYTES) return false
  if (stored?.startsWith('$2')) return bcrypt.compare(password, stored)
  const parsed = PHC.exec(stored ?? '')
  if (!parsed) {
    await derive(password, randomBytes(16), MEMORY_KIB, PASSES, 1, HASH_BYTES)
    return false
  }
  const [, memory, passes, lanes, salt, hash] = parsed as unknown as [string, string, string, string, string, string]
  const expected = Buffer.from(hash, 'base64')
  const made = await derive(
    password,
    Buffer.from(salt, 'base64'),
    Number(memory),
    Number(passes),
    Number(lanes),
    expected.length,
  )
  return timingSafeEqual(made, expected)
}

/** A hash that an operator imports: one of the two kinds that `verifyPassword` reads, at an acceptable cost. */
export function isPasswordHash(text: string): boolean {
  if (/^\$2[aby]\$(0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/.test(text)) return true
  const [, memory, passes, lanes] = PHC.exec(text) ?? []
  return Number(memory) <= 262_144 && Number(passes) <= 10 && Number(lanes) <= 8
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

let running = 0
const queue: (() => void)[] = []

async function derive(
  password: string,
  nonce: Buffer,
  memory: number,
  passes: number,
  parallelism: number,
  tagLength: number,
): Promise<Buffer> {
  if (running >= AT_ONCE) await new Promise<void>((free) => queue.push(free))
  else running++
  try {
    return await new Promise((done, failed) =>
      argon2('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength }, (error, key) =>
        error ? failed(error) : done(key),
      ),
    )
  } finally {
    const next = queue.shift()
    if (next) next()
    else running--
  }
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
