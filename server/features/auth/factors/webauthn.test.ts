import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { createAuthenticator } from '../testing/authenticator.ts'
import { call, refusal, refusalCode } from '../testing/call.ts'
import { tokenOf } from '../testing/factors.ts'
import { type SignedIn, signIn } from '../testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer({ env: { AUTH_WEBAUTHN: 'on' } }))

const wrong = '422 mfa_verification_failed: Invalid WebAuthn credential'

/** A person with an authenticator that is enrolled, and not yet registered. */
async function enrolled() {
  const email = `${randomUUID().slice(0, 8)}@example.com`
  const me = await signIn(server.url, { provider: 'google', email })
  const { data, error } = await me.client.mfa.enroll({ factorType: 'webauthn', friendlyName: 'key' })
  expect(error).toBeNull()
  expect(data).toEqual({ id: expect.any(String), type: 'webauthn', friendly_name: 'key' })
  return { email, me, factorId: data!.id }
}

const site = () => ({ rpId: 'localhost', origin: server.url })

/** The ceremony that the server asks for. */
async function begin(me: SignedIn, factorId: string, webauthn?: object) {
  const body = webauthn ?? { rpId: 'localhost', rpOrigins: [server.url] }
  const answer = await call(server, 'POST', `/factors/${factorId}/challenge`, {
    body: { webauthn: body },
    token: await tokenOf(me),
  })
  return {
    ...answer,
    challengeId: answer.body.id,
    challenge: answer.body.webauthn?.credential_options.publicKey.challenge,
  }
}

const finish = async (me: SignedIn, factorId: string, challengeId: string, type: string, credential: object) =>
  call(server, 'POST', `/factors/${factorId}/verify`, {
    body: { challenge_id: challengeId, webauthn: { ...site(), type, credential_response: credential } },
    token: await tokenOf(me),
  })

async function registered() {
  const { email, me, factorId } = await enrolled()
  const key = createAuthenticator()
  const { challengeId, challenge } = await begin(me, factorId)
  const answer = await finish(me, factorId, challengeId, 'create', key.create({ challenge, ...site() }))
  expect(answer.status).toBe(200)
  const { access_token, refresh_token } = answer.body
  await me.client.setSession({ access_token, refresh_token })
  return { email, me, factorId, key }
}

describe('a security key', () => {
  it('is registered, and proves the next session', async () => {
    const { email, me, factorId, key } = await registered()
    expect((await me.client.getClaims()).data?.claims).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'mfa/webauthn' }, {}],
    })
    const { data } = await me.client.mfa.listFactors()
    expect(data?.webauthn).toMatchObject([{ id: factorId, status: 'verified' }])
    expect(JSON.stringify(data)).not.toContain(key.id)

    const next = await signIn(server.url, { provider: 'google', email })
    const { body, challengeId, challenge } = await begin(next, factorId)
    expect(body).toMatchObject({
      type: 'webauthn',
      expires_at: expect.any(Number),
      webauthn: {
        type: 'request',
        credential_options: { publicKey: { rpId: 'localhost', allowCredentials: [{ id: key.id }] } },
      },
    })
    const proved = await finish(next, factorId, challengeId, 'request', key.get({ challenge, ...site() }))
    expect(proved.status).toBe(200)
    expect(JSON.parse(atob(proved.body.access_token.split('.')[1]))).toMatchObject({ aal: 'aal2' })
  })

  it('is asked for by the options of a registration', async () => {
    const { email, me, factorId } = await enrolled()
    expect((await begin(me, factorId)).body.webauthn).toMatchObject({
      type: 'create',
      credential_options: {
        publicKey: {
          challenge: expect.stringMatching(/^[\w-]{43}$/),
          rp: { id: 'localhost' },
          user: { name: email },
          attestation: 'none',
          pubKeyCredParams: expect.arrayContaining([{ alg: -7, type: 'public-key' }]),
        },
      },
    })
  })
})

describe('refused is', () => {
  it('a registration for another origin, another challenge, or another site', async () => {
    const { me, factorId } = await enrolled()
    const key = createAuthenticator()
    for (const change of [
      { origin: 'https://evil.example' },
      { challenge: 'A'.repeat(43) },
      { rpId: 'evil.example' },
    ]) {
      const { challengeId, challenge } = await begin(me, factorId)
      const forged = key.create({ challenge, ...site(), ...change })
      expect(refusal(await finish(me, factorId, challengeId, 'create', forged))).toBe(wrong)
    }
    expect((await me.client.mfa.listFactors()).data?.webauthn).toEqual([])
  })

  it('a site that is neither ours nor one that a sign-in may return to', async () => {
    const { me, factorId } = await enrolled()
    for (const webauthn of [
      { rpId: 'evil.example', rpOrigins: ['https://evil.example'] },
      { rpId: 'evil.example', rpOrigins: [server.url] },
      { rpId: 'localhost', rpOrigins: [`${server.url}/path`] },
    ])
      expect(refusalCode(await begin(me, factorId, webauthn))).toBe('400 validation_failed')
  })

  it('an answer of another authenticator, of another kind, and one used before', async () => {
    const { email, factorId, key } = await registered()
    const me = await signIn(server.url, { provider: 'google', email })
    const stranger = createAuthenticator()
    const first = await begin(me, factorId)
    const ask = { challenge: first.challenge, ...site() }
    for (const [type, credential] of [
      ['request', stranger.get(ask)],
      ['request', stranger.get(ask, key.id)],
      ['create', stranger.create(ask)],
      ['request', { ...key.get(ask), response: {} }],
    ] as const)
      expect(refusal(await finish(me, factorId, first.challengeId, type, credential))).toBe(wrong)
    const good = key.get(ask)
    expect((await finish(me, factorId, first.challengeId, 'request', good)).status).toBe(200)
    const next = await signIn(server.url, { provider: 'google', email })
    expect(refusalCode(await finish(next, factorId, first.challengeId, 'request', good))).toBe(
      '422 mfa_ip_address_mismatch',
    )
    const second = await begin(next, factorId)
    expect(refusal(await finish(next, factorId, second.challengeId, 'request', good))).toBe(wrong)
  })

  it('a registration that was pending when another one was completed, at once or before', async () => {
    for (const atOnce of [true, false]) {
      const { me, factorId } = await enrolled()
      const [first, second] = [await begin(me, factorId), await begin(me, factorId)]
      const register = ({ challengeId, challenge }: Awaited<ReturnType<typeof begin>>) =>
        finish(me, factorId, challengeId, 'create', createAuthenticator().create({ challenge, ...site() }))
      const done = atOnce
        ? await Promise.all([register(first), register(second)])
        : [await register(first), await register(second)]
      expect(done.map(({ status }) => status).sort()).toEqual([200, 422])
    }
  })

  it('a code in place of its answer', async () => {
    const { me, factorId } = await enrolled()
    const { challengeId } = await begin(me, factorId)
    const answer = await me.client.mfa.verify({ factorId, challengeId, code: '123456' })
    expect(answer.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' })
  })
})
