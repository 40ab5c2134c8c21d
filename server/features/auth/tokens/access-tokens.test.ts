import {
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { pino } from 'pino'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createSecrets } from '../../../secrets/secrets.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { type AuthServer, startAuthServer } from '../testing/auth-server.ts'
import { signIn } from '../testing/sign-in.ts'
import { createAccessTokens } from './access-tokens.ts'
import { rotateSigningKey } from './signing-keys.ts'

const secrets = createSecrets('ab'.repeat(32))
const log = pino({ level: 'silent' })

const server = await closeAfterTests(startAuthServer())
beforeAll(async () => {
  await signedIn(server)
})

const create = (keys?: JWK[]) =>
  createAccessTokens({
    config: { PUBLIC_URL: server.config.PUBLIC_URL, AUTH_JWT_KEYS: keys && JSON.stringify(keys) },
    db: server.db,
    secrets,
    log,
  })

const person = {
  sub: '11111111-1111-4111-8111-111111111111',
  sessionId: '22222222-2222-4222-8222-222222222222',
  email: 'a@example.com',
  phone: '',
  role: 'authenticated',
  aal: 'aal1' as const,
  amr: [{ method: 'oauth', timestamp: 1 }],
  appMetadata: { provider: 'google' },
  userMetadata: { full_name: 'A' },
  isAnonymous: false,
}

/** The session that the tokens of `person` speak of. */
const signedIn = ({ db }: AuthServer) =>
  db.pool.query(
    `with one as (insert into auth.users (id) values ($1) returning id)
     insert into auth.sessions (id, user_id, refresh_key) select $2, id, '' from one`,
    [person.sub, person.sessionId],
  )

async function keyPair(alg: 'ES256' | 'RS256', kid: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, publicKey, jwk: { ...(await exportJWK(privateKey)), kid, alg } }
}

describe('an access token', () => {
  it('verifies by the published keys with jose, and says what the protocol promises', async () => {
    const { session } = await signIn(server.url, { provider: 'google', email: 'claims@example.com' })
    const response = await fetch(`${server.url}/auth/v1/.well-known/jwks.json`)
    expect(response.headers.get('cache-control')).toBe('public, max-age=600')
    const jwks = await response.json()
    expect(jwks.keys[0]).toEqual({
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
      kid: expect.any(String),
      alg: 'ES256',
      use: 'sig',
      key_ops: ['verify'],
    })
    const { payload, protectedHeader } = await jwtVerify(session.access_token, createLocalJWKSet(jwks), {
      issuer: `${server.url}/auth/v1`,
      audience: 'authenticated',
    })
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: jwks.keys[0].kid })
    expect(payload).toMatchObject({
      sub: session.user.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: 'claims@example.com',
      phone: '',
      aal: 'aal1',
      amr: [{ method: 'oauth', timestamp: expect.any(Number) }],
      is_anonymous: false,
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(payload.exp! - payload.iat!).toBe(3600)
    expect(session.expires_at).toBe(payload.exp)
  })

  it('is verified by the client without asking the server', async () => {
    const { client, requests, session } = await signIn(server.url, {
      provider: 'github',
      email: 'getclaims@example.com',
    })
    requests.length = 0
    const { data, error } = await client.getClaims()
    expect(error).toBeNull()
    expect(data?.claims.sub).toBe(session.user.id)
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(['/auth/v1/.well-known/jwks.json'])
    const [header, body] = session.access_token.split('.')
    const forged = await client.getClaims(`${header}.${body}.${'A'.repeat(86)}`)
    expect(forged.error?.message).toBe('Invalid JWT signature')
  })

  it('gives the claims back that went in', async () => {
    const tokens = await create()
    const { token, expiresAt } = await tokens.sign(person)
    expect(await tokens.verify(token)).toEqual({ ...person, exp: expiresAt })
  })

  it('is worth nothing to the product once its session is ended or its person banned', async () => {
    const { session, client } = await signIn(server.url, { provider: 'google', email: 'ended@example.com' })
    const answer = async () => {
      try {
        return (await server.accessTokens.verify(session.access_token)).sub
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    const banned = (until: string) =>
      server.db.pool.query(`update auth.users set banned_until = ${until} where id = $1`, [session.user.id])
    expect(await answer()).toBe(session.user.id)
    await banned(`app_now() + interval '1 hour'`)
    expect(await answer()).toBe('unauthorized')
    await banned(`app_now() - interval '1 second'`)
    expect(await answer()).toBe(session.user.id)
    await client.signOut({ scope: 'local' })
    expect(await answer()).toBe('unauthorized')
  })
})

describe('verify refuses', () => {
  it.each([
    ['another issuer', { iss: 'https://evil.example/auth/v1' }],
    ['another audience', { aud: 'anon' }],
    ['a token that ran out', { exp: Math.floor(Date.now() / 1000) - 1 }],
    ['a token without end', { exp: undefined }],
    ['a service key', { role: 'service_role' }],
    ['no session', { session_id: undefined }],
    ['no person', { sub: undefined }],
    ['a person who is no UUID', { sub: 'admin' }],
  ])('%s', async (_name, changed) => {
    const { privateKey, jwk } = await keyPair('ES256', 'mine')
    const tokens = await create([{ ...jwk, key_ops: ['sign', 'verify'] }])
    const good = {
      iss: `${server.config.PUBLIC_URL}/auth/v1`,
      aud: 'authenticated',
      sub: person.sub,
      session_id: person.sessionId,
      role: 'authenticated',
      exp: Math.floor(Date.now() / 1000) + 60,
    }
    const sign = (claims: object) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: 'mine' }).sign(privateKey)
    expect((await tokens.verify(await sign(good))).sub).toBe(person.sub)
    await expect(tokens.verify(await sign({ ...good, ...changed }))).rejects.toMatchObject({
      code: 'unauthorized',
      status: 401,
    })
  })

  it('every confusion of algorithms and keys', async () => {
    const { jwk, publicKey } = await keyPair('RS256', 'rsa')
    const tokens = await create([{ ...jwk, key_ops: ['sign', 'verify'] }])
    const good = {
      iss: `${server.config.PUBLIC_URL}/auth/v1`,
      aud: 'authenticated',
      sub: person.sub,
      session_id: person.sessionId,
      role: 'authenticated',
      exp: Math.floor(Date.now() / 1000) + 60,
    }
    const hmac = await new SignJWT(good)
      .setProtectedHeader({ alg: 'HS256', kid: 'rsa' })
      .sign(new TextEncoder().encode(await exportSPKI(publicKey)))
    const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const none = `${b64({ alg: 'none', kid: 'rsa' })}.${b64(good)}.`
    const stranger = await keyPair('ES256', 'rsa')
    const embedded = await new SignJWT(good)
      .setProtectedHeader({ alg: 'ES256', kid: 'rsa', jwk: await exportJWK(stranger.publicKey) })
      .sign(stranger.privateKey)
    const pss = await new SignJWT(good)
      .setProtectedHeader({ alg: 'PS256', kid: 'rsa' })
      .sign((await importJWK({ ...jwk, alg: 'PS256' }, 'PS256')) as CryptoKey)
    // Refused by the key's own algorithm, before any signature is looked at.
    for (const token of [hmac, embedded, pss])
      await expect(tokens.parse(token)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
    for (const token of [hmac, none, embedded, pss, '', 'a.b.c', '💥'])
      await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'unauthorized' })
  })
})

describe('keys', () => {
  it('come from AUTH_JWT_KEYS: one signs, the others still verify', async () => {
    const [older, newer] = [await keyPair('RS256', 'older'), await keyPair('ES256', 'newer')]
    const before = await create([{ ...older.jwk, key_ops: ['sign', 'verify'] }])
    const { token: oldToken } = await before.sign(person)
    expect(decodeProtectedHeader(oldToken)).toMatchObject({ alg: 'RS256', kid: 'older' })
    const after = await create([
      { ...older.jwk, key_ops: ['verify'] },
      { ...newer.jwk, key_ops: ['sign', 'verify'] },
    ])
    expect((await after.verify(oldToken)).sub).toBe(person.sub)
    expect(decodeProtectedHeader((await after.sign(person)).token)).toMatchObject({ alg: 'ES256', kid: 'newer' })
    const published = JSON.stringify(await after.jwks())
    expect(published).toContain('older')
    for (const part of ['"d"', '"p"', '"q"', '"dp"', '"qi"']) expect(published).not.toContain(part)
  })

  it.each([
    ['no JSON', 'nonsense'],
    ['no signing key', '[]'],
    ['a symmetric key', '[{"kty":"oct","kid":"a","k":"AAAA","alg":"HS256","key_ops":["sign"]}]'],
    ['a key without private part', '[{"kty":"EC","kid":"a","crv":"P-256","x":"x","y":"y","key_ops":["sign"]}]'],
  ])('refuse to start with %s', async (_name, json) => {
    await expect(
      createAccessTokens({
        config: { PUBLIC_URL: 'http://localhost', AUTH_JWT_KEYS: json },
        db: server.db,
        secrets,
        log,
      }),
    ).rejects.toThrow()
  })

  it('are made once by instances that start together, and are shared', async () => {
    const other = await startAuthServer()
    await signedIn(other)
    await other.db.pool.query('delete from auth.signing_keys')
    const config = { PUBLIC_URL: 'http://localhost', AUTH_JWT_KEYS: undefined }
    const instances = await Promise.all(
      Array.from({ length: 4 }, () => createAccessTokens({ config, db: other.db, secrets, log })),
    )
    const { token } = await instances[0]!.sign(person)
    for (const instance of instances) expect((await instance.verify(token)).sub).toBe(person.sub)
    const { rows } = await other.db.pool.query('select private_jwk from auth.signing_keys')
    expect(rows).toHaveLength(1)
    expect(rows[0].private_jwk.toString('latin1')).not.toContain('P-256')
    await other.close()
  })

  it('are published before they sign, so that caches know them', async () => {
    const other = await startAuthServer()
    await signedIn(other)
    const kid = await rotateSigningKey(other.db, secrets)
    const started = await createAccessTokens({ config: other.config, db: other.db, secrets, log })
    expect((await started.jwks()).keys.map((key) => key.kid)).toContain(kid)
    expect(decodeProtectedHeader((await started.sign(person)).token).kid).not.toBe(kid)
    await other.moveClock('21 minutes')
    const later = await createAccessTokens({ config: other.config, db: other.db, secrets, log })
    const { token } = await later.sign(person)
    expect(decodeProtectedHeader(token).kid).toBe(kid)
    // The first instance started before the rotation: an unknown key makes it look again.
    vi.useFakeTimers({ now: Date.now() + 6_000, toFake: ['Date'] })
    expect((await other.accessTokens.verify(token)).sub).toBe(person.sub)
    vi.useRealTimers()
    await other.close()
  })

  it('say plainly that KEYS_SECRET is another one', async () => {
    const config = { PUBLIC_URL: 'http://localhost', AUTH_JWT_KEYS: undefined }
    await expect(
      createAccessTokens({ config, db: server.db, secrets: createSecrets('cd'.repeat(32)), log }),
    ).rejects.toThrow('another KEYS_SECRET')
  })
})
