import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

interface Key {
  kid: string
  privateKey: CryptoKey
  publicJwk: JWK
  until: number
}

/** RSA keys that rotate: a retired key stays published for one more lifetime, as at Google. */
export interface GoogleKeys {
  sign: (payload: JWTPayload) => Promise<string>
  published: () => Promise<JWK[]>
}

/** The first key is generated on first use, so that startup costs nothing. */
export function createGoogleKeys(lifetimeMs: number): GoogleKeys {
  let making: Promise<Key> | null = null
  let retired: Key | null = null

  const current = async (): Promise<Key> => {
    making ??= makeKey(lifetimeMs)
    const key = await making
    if (key.until > Date.now()) return key
    if (retired !== key) {
      retired = key
      making = makeKey(lifetimeMs)
    }
    return current()
  }

  return {
    async sign(payload) {
      const { kid, privateKey } = await current()
      return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' }).sign(privateKey)
    },
    async published() {
      const key = await current()
      return retired ? [key.publicJwk, retired.publicJwk] : [key.publicJwk]
    },
  }
}

async function makeKey(lifetimeMs: number): Promise<Key> {
  const kid = randomUUID().replaceAll('-', '')
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  return {
    kid,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' },
    until: Date.now() + lifetimeMs,
  }
}
