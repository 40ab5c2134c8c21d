import { createPrivateKey, createPublicKey } from 'node:crypto'
import { z } from 'zod'

/** The one algorithm that a key of each type may be used with. */
const ALGORITHMS = { EC: 'ES256', RSA: 'RS256', oct: 'HS256' } as const

/** A key of AUTH_JWT_KEYS. `alg` follows from its type alone. */
export interface JwtKey {
  kid: string
  alg: 'ES256' | 'RS256' | 'HS256'
  /** Whether it signs new tokens. */
  signs: boolean
  jwk: { kty: keyof typeof ALGORITHMS; [part: string]: unknown }
}

const keyArray = z.array(
  z.looseObject({
    kid: z.string().min(1),
    kty: z.enum(['EC', 'RSA', 'oct']),
    alg: z.string().optional(),
    key_ops: z.array(z.string()).default([]),
  }),
)
type GivenKey = z.output<typeof keyArray>[number]

const FEWEST_SECRET_BYTES = 32
const FEWEST_RSA_BITS = 2048

/**
 * Reads AUTH_JWT_KEYS: an array of JWKs (EC with P-256, RSA, oct), exactly one of them with "sign" in key_ops. Throws an
 * Error for the operator that names the position of a key that cannot be used, and nothing of the key.
 */
export function readJwtKeys(json: string): JwtKey[] {
  const parsed = keyArray.safeParse(parse(json))
  const issue = parsed.error?.issues[0]
  if (!parsed.success) throw problem([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '))
  const given = parsed.data
  given.forEach((key, index) => {
    const fault = faultOf(key)
    if (fault) throw problem(`key ${index + 1} ${fault}`)
    if (given.findIndex(({ kid }) => kid === key.kid) !== index) throw problem(`key ${index + 1} repeats a kid`)
  })
  const signing = given.filter(signs).length
  if (signing !== 1) throw problem(`exactly one key must have "sign" in key_ops, found ${signing}`)
  return given.map((key) => ({
    kid: key.kid,
    alg: ALGORITHMS[key.kty],
    signs: signs(key),
    jwk: key,
  }))
}

const signs = ({ key_ops }: GivenKey): boolean => key_ops.includes('sign')
const problem = (text: string): Error => new Error(`AUTH_JWT_KEYS is not valid: ${text}.`)

function faultOf(key: GivenKey): string | null {
  if (key.alg !== undefined && key.alg !== ALGORITHMS[key.kty])
    return `must have the alg ${ALGORITHMS[key.kty]}, which its kty ${key.kty} allows`
  if (key.kty === 'oct') return secretFault(key.k)
  try {
    const { asymmetricKeyDetails: details } = createPublicKey({ key, format: 'jwk' })
    if (details?.namedCurve && details.namedCurve !== 'prime256v1') return 'must be on the curve P-256'
    if (details?.modulusLength && details.modulusLength < FEWEST_RSA_BITS)
      return `must have ${FEWEST_RSA_BITS} bits or more`
  } catch {
    return `is not a key of type ${key.kty}`
  }
  if (!signs(key)) return null
  try {
    createPrivateKey({ key, format: 'jwk' })
    return null
  } catch {
    return 'signs, and has no private part'
  }
}

function secretFault(secret: unknown): string | null {
  if (typeof secret !== 'string' || !/^[A-Za-z0-9_-]+$/.test(secret)) return 'must have a k in base64url'
  return Buffer.from(secret, 'base64url').length < FEWEST_SECRET_BYTES
    ? `must have a k of ${FEWEST_SECRET_BYTES} bytes or more`
    : null
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
