import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { sql } from 'kysely'
import { type JwtKey, readJwtKeys } from '../../../config/jwt-keys.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { noteKeyEvent } from '../audit.ts'

/** The algorithm of a key never changes. The browser client verifies ES256 and RS256 by itself. */
export type SigningAlgorithm = JwtKey['alg']

export interface SigningKey {
  kid: string
  alg: SigningAlgorithm
  /** null: the key is a secret (HS256), which is never published. */
  publicJwk: JWK | null
  verifyingKey: CryptoKey
  /** null: the key only verifies. */
  signingKey: CryptoKey | null
}

/** The keys in use. Implementations may reload them, so callers ask each time. */
export interface KeyRing {
  signer: () => Promise<SigningKey & { signingKey: CryptoKey }>
  find: (kid: string) => Promise<SigningKey | undefined>
  all: () => Promise<SigningKey[]>
}

const PURPOSE = 'auth.signing_keys'
const RELOAD_MS = 60_000
const UNKNOWN_KID_RELOAD_MS = 5_000
/** Longer than the published keys may be cached (10 minutes). */
const PUBLISH_BEFORE_SIGNING = '20 minutes'

/** The keys of AUTH_JWT_KEYS. Throws a text for the operator. */
export async function configuredKeys(json: string): Promise<KeyRing> {
  const keys = await Promise.all(
    readJwtKeys(json).map(({ jwk, kid, alg, signs }) =>
      alg === 'HS256' ? importSecret(kid, String(jwk.k), signs) : importKey(jwk as JWK, signs),
    ),
  )
  const signer = keys.find((key) => key.signingKey)
  if (!signer?.signingKey) throw new Error('AUTH_JWT_KEYS is not valid: no key signs.')
  const ready = { ...signer, signingKey: signer.signingKey }
  return { signer: async () => ready, find: async (kid) => keys.find((key) => key.kid === kid), all: async () => keys }
}

/** Keys kept encrypted in the database, shared by all instances; the first start makes one. */
export async function storedKeys(db: Database, secrets: Secrets): Promise<KeyRing> {
  let loadedAt = 0
  let keys: (SigningKey & { inForce: boolean })[] = []
  const load = async (maxAgeMs: number): Promise<void> => {
    if (Date.now() - loadedAt < maxAgeMs) return
    keys = await readKeys(db.kysely, secrets)
    loadedAt = Date.now()
  }
  await db.kysely.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${PURPOSE}))`.execute(tx)
    const any = await tx.selectFrom('auth.signing_keys').select('kid').limit(1).executeTakeFirst()
    if (!any) await insertKey(tx, secrets, '0')
  })
  await load(0)
  return {
    async signer() {
      await load(RELOAD_MS)
      const signer = keys.find((key) => key.inForce)
      if (!signer?.signingKey) throw new Error('No signing key is in force.')
      return { ...signer, signingKey: signer.signingKey }
    },
    async find(kid) {
      const known = keys.find((key) => key.kid === kid)
      if (known) return known
      await load(UNKNOWN_KID_RELOAD_MS)
      return keys.find((key) => key.kid === kid)
    },
    async all() {
      await load(RELOAD_MS)
      return keys
    },
  }
}

/** Adds a key that is published at once and signs when every cache must have seen it. Returns its kid. */
export function rotateSigningKey(db: Database, secrets: Secrets): Promise<string> {
  return db.kysely.transaction().execute(async (tx) => {
    const kid = await insertKey(tx, secrets, PUBLISH_BEFORE_SIGNING)
    await noteKeyEvent(tx, 'auth.signing_key_added', kid)
    return kid
  })
}

export interface ListedKey {
  kid: string
  createdAt: Date
  signsFrom: Date
  /** The newest that has come into force signs; the others only verify. */
  signs: boolean
}

/** Every key that is published, the newest first. */
export async function listSigningKeys({ kysely }: Database): Promise<ListedKey[]> {
  const rows = await kysely
    .selectFrom('auth.signing_keys')
    .select(['kid', 'created_at', 'signs_from', sql<boolean>`signs_from <= app_now()`.as('in_force')])
    .orderBy('signs_from', 'desc')
    .execute()
  const signer = rows.find((row) => row.in_force)
  return rows.map((row) => ({
    kid: row.kid,
    createdAt: row.created_at,
    signsFrom: row.signs_from,
    signs: row === signer,
  }))
}

/** Withdraws a key: whatever it signed is refused from now on. Throws a text for the operator. */
export async function retireSigningKey(db: Database, kid: string): Promise<void> {
  const key = (await listSigningKeys(db)).find((known) => known.kid === kid)
  if (!key) throw new Error(`There is no signing key ${kid}.`)
  if (key.signs)
    throw new Error('This key signs now. Rotate first, and retire it once the new key has come into force.')
  await db.kysely.transaction().execute(async (tx) => {
    await tx.deleteFrom('auth.signing_keys').where('kid', '=', kid).execute()
    await noteKeyEvent(tx, 'auth.signing_key_retired', kid)
  })
}

async function insertKey(db: Queryable, secrets: Secrets, signsAfter: string): Promise<string> {
  const kid = randomUUID()
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = JSON.stringify({ ...(await exportJWK(privateKey)), kid, alg: 'ES256' })
  await db
    .insertInto('auth.signing_keys')
    .values({
      kid,
      private_jwk: secrets.encrypt(PURPOSE, jwk, kid),
      signs_from: sql`app_now() + ${signsAfter}::interval`,
    })
    .execute()
  return kid
}

async function readKeys(db: Queryable, secrets: Secrets): Promise<(SigningKey & { inForce: boolean })[]> {
  const rows = await db
    .selectFrom('auth.signing_keys')
    .select(['kid', 'private_jwk', sql<boolean>`signs_from <= app_now()`.as('in_force')])
    .orderBy('signs_from', 'desc')
    .execute()
  return Promise.all(
    rows.map(async (row) => ({ ...(await importKey(readJwk(row, secrets), true)), inForce: row.in_force })),
  )
}

function readJwk(row: { kid: string; private_jwk: Buffer }, secrets: Secrets): JWK {
  try {
    return JSON.parse(secrets.decrypt(PURPOSE, row.private_jwk, row.kid))
  } catch (cause) {
    throw new Error('The signing keys in the database were encrypted under another KEYS_SECRET. Start with that one.', {
      cause,
    })
  }
}

async function importKey(jwk: JWK, signs: boolean): Promise<SigningKey> {
  const alg = jwk.kty === 'RSA' ? 'RS256' : 'ES256'
  const { kid, kty, crv, x, y, n, e } = jwk
  const material = kty === 'RSA' ? { n, e } : { crv, x, y }
  const publicJwk: JWK = { kid, kty, ...material, alg, use: 'sig', key_ops: ['verify'] }
  const privatePart = { ...jwk, alg, key_ops: undefined, use: undefined }
  return {
    kid: kid ?? '',
    alg,
    publicJwk,
    verifyingKey: (await importJWK(publicJwk, alg)) as CryptoKey,
    signingKey: signs && jwk.d ? ((await importJWK(privatePart, alg)) as CryptoKey) : null,
  }
}

async function importSecret(kid: string, secret: string, signs: boolean): Promise<SigningKey> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', Buffer.from(secret, 'base64url'), hmac, false, ['sign', 'verify'])
  return { kid, alg: 'HS256', publicJwk: null, verifyingKey: key, signingKey: signs ? key : null }
}
