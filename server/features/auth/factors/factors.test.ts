import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { call, refusal, refusalCode } from '../testing/call.ts'
import { codeOf as codeAt, enroll, tokenOf } from '../testing/factors.ts'
import { type SignedIn, signIn } from '../testing/sign-in.ts'

let person = 0

const server = await closeAfterTests(startAuthServer())

const fresh = () => signIn(server.url, { provider: 'google', email: `mfa${person++}@example.com` })

const codeOf = (secret: string, steps?: number) => codeAt(server, secret, steps)
const enrol = (me: SignedIn, name?: string) => enroll(server, me, name)
const nextStep = () => server.moveClock('30 seconds')

describe('an authenticator', () => {
  it('is enrolled with picture, secret and address, and raises the session', async () => {
    const me = await fresh()
    const { data, error } = await me.client.mfa.enroll({ factorType: 'totp', friendlyName: 'my phone' })
    expect(error).toBeNull()
    expect(data).toMatchObject({
      type: 'totp',
      friendly_name: 'my phone',
      totp: {
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        uri: expect.stringMatching(/^otpauth:\/\/totp\/localhost%3A\d+:mfa\d+%40example.com\?/),
      },
    })
    const picture = data?.totp.qr_code ?? ''
    expect(picture).toMatch(/^data:image\/svg\+xml;utf-8,<svg/)
    expect(picture).not.toContain('#')
    expect((await me.client.mfa.listFactors()).data).toMatchObject({ all: [{ status: 'unverified' }], totp: [] })

    const before = await me.client.mfa.getAuthenticatorAssuranceLevel()
    expect(before.data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' })
    const { data: challenge } = await me.client.mfa.challenge({ factorId: data!.id })
    expect(challenge).toMatchObject({ type: 'totp', expires_at: expect.any(Number) })
    const verified = await me.client.mfa.verify({
      factorId: data!.id,
      challengeId: challenge!.id,
      code: await codeOf(data!.totp.secret),
    })
    expect(verified.error).toBeNull()
    expect((await me.client.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal2',
      nextLevel: 'aal2',
      currentAuthenticationMethods: [{ method: 'totp' }, { method: 'oauth' }],
    })
    expect((await me.client.refreshSession()).error).toBeNull()
    expect((await me.client.getClaims()).data?.claims.aal).toBe('aal2')
  })

  it('is asked for at the next sign-in, and ends the weaker sessions', async () => {
    const me = await fresh()
    const other = await signIn(server.url, { provider: 'google', email: me.session.user.email! })
    const { id, secret } = await enrol(me)
    expect((await other.client.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
    const again = await signIn(server.url, { provider: 'google', email: me.session.user.email! })
    expect((await again.client.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal2',
    })
    await nextStep()
    const { error } = await again.client.mfa.challengeAndVerify({ factorId: id, code: await codeOf(secret) })
    expect(error).toBeNull()
    expect((await me.client.getUser()).error).toBeNull()
  })

  it('takes a code once, and none that is older than the last', async () => {
    const me = await fresh()
    const { id, secret } = await enrol(me)
    await nextStep()
    const code = await codeOf(secret)
    expect((await me.client.mfa.challengeAndVerify({ factorId: id, code })).error).toBeNull()
    const replayed = await me.client.mfa.challengeAndVerify({ factorId: id, code })
    expect(replayed.error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
      message: 'Invalid TOTP code entered',
    })
    const older = await me.client.mfa.challengeAndVerify({ factorId: id, code: await codeOf(secret, -1) })
    expect(older.error?.code).toBe('mfa_verification_failed')
    // One step early or late is a clock that is a little off.
    expect((await me.client.mfa.challengeAndVerify({ factorId: id, code: await codeOf(secret, 1) })).error).toBeNull()
    expect(
      (await me.client.mfa.challengeAndVerify({ factorId: id, code: await codeOf(secret, 2) })).error,
    ).not.toBeNull()
  })

  it('of fifty parallel uses of one code accepts one', async () => {
    const me = await fresh()
    const { id, secret } = await enrol(me)
    await nextStep()
    const [token, code] = [await tokenOf(me), await codeOf(secret)]
    const challenges = await Promise.all(
      Array.from({ length: 4 }, () => call(server, 'POST', `/factors/${id}/challenge`, { token, body: {} })),
    )
    const answers = await Promise.all(
      challenges.map(({ body }) =>
        call(server, 'POST', `/factors/${id}/verify`, { token, body: { challenge_id: body.id, code } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('rests after five wrong codes', async () => {
    const me = await fresh()
    const { id, secret } = await enrol(me)
    await nextStep()
    for (let guess = 0; guess < 5; guess++)
      expect((await me.client.mfa.challengeAndVerify({ factorId: id, code: '000000' })).error?.status).toBe(422)
    const right = await me.client.mfa.challengeAndVerify({ factorId: id, code: await codeOf(secret) })
    expect(right.error).toMatchObject({ status: 429, code: 'over_request_rate_limit' })
    await nextStep()
    expect((await me.client.mfa.challengeAndVerify({ factorId: id, code: await codeOf(secret) })).error).toBeNull()
  })

  it('a refresh token from before the second factor never becomes a stronger session, nor ends it', async () => {
    const me = await fresh()
    const weak = me.session.refresh_token
    await enrol(me)
    const answer = await call(server, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token: weak } })
    expect(refusal(answer)).toBe('400 refresh_token_already_used: Invalid Refresh Token: Already Used')
    expect((await me.client.refreshSession()).error).toBeNull()
  })

  it('is deleted only right after a second factor, and takes its level along', async () => {
    const me = await fresh()
    const { id, secret } = await enrol(me)
    await server.moveClock('11 minutes')
    const stale = await me.client.mfa.unenroll({ factorId: id })
    expect(stale.error).toMatchObject({
      status: 422,
      code: 'insufficient_aal',
      message: 'AAL2 required to unenroll verified factor',
    })
    const more = await me.client.mfa.enroll({ factorType: 'totp', friendlyName: 'second' })
    expect(more.error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
      message: 'AAL2 required to enroll a new factor',
    })
    await me.client.mfa.challengeAndVerify({ factorId: id, code: await codeOf(secret) })
    const gone = await me.client.mfa.unenroll({ factorId: id })
    expect([gone.error, gone.data]).toEqual([null, { id }])
    await me.client.refreshSession()
    expect((await me.client.getClaims()).data?.claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'oauth' }] })
  })

  it('guards address and password of its owner', async () => {
    const me = await fresh()
    await enrol(me)
    const again = await signIn(server.url, { provider: 'google', email: me.session.user.email! })
    for (const change of [{ email: 'other@example.com' }, { password: 'another password' }]) {
      const { error } = await again.client.updateUser(change)
      expect(error).toMatchObject({
        status: 401,
        code: 'insufficient_aal',
        message: 'AAL2 session is required to update email or password when MFA is enabled.',
      })
    }
    const enrolled = await again.client.mfa.enroll({ factorType: 'totp', friendlyName: 'mine too' })
    expect(enrolled.error?.code).toBe('insufficient_aal')
  })

  it('is nobody else’s: another person finds nothing', async () => {
    const me = await fresh()
    const { id } = await enrol(me)
    const stranger = await fresh()
    const token = await tokenOf(stranger)
    for (const [method, path, body] of [
      ['POST', `/factors/${id}/challenge`, {}],
      ['POST', `/factors/${id}/verify`, { challenge_id: id, code: '123456' }],
      ['DELETE', `/factors/${id}`, undefined],
    ] as const)
      expect(refusal(await call(server, method, path, { token, body }))).toBe(
        '404 mfa_factor_not_found: Factor not found',
      )
  })

  it('is kept encrypted', async () => {
    const { secret } = await enrol(await fresh())
    const { rows } = await server.db.pool.query('select secret from auth.mfa_factors where secret is not null')
    for (const row of rows) expect(row.secret.toString('latin1')).not.toContain(secret)
  })
})

describe('refusals', () => {
  it('of enrolment', async () => {
    const me = await fresh()
    const token = await tokenOf(me)
    const enroll = (body: object) => call(server, 'POST', '/factors', { token, body })
    expect(refusal(await enroll({ factor_type: 'sms' }))).toBe(
      '400 validation_failed: factor_type needs to be totp, phone, or webauthn',
    )
    expect(refusalCode(await enroll({ factor_type: 'webauthn', friendly_name: 'key' }))).toBe(
      '422 mfa_webauthn_enroll_not_enabled',
    )
    expect(refusalCode(await enroll({ factor_type: 'phone', phone: '+4915112345678' }))).toBe(
      '422 mfa_phone_enroll_not_enabled',
    )
    expect((await enroll({ factor_type: 'totp' })).status).toBe(200)
    expect(refusalCode(await enroll({ factor_type: 'totp', friendly_name: '' }))).toBe('422 mfa_factor_name_conflict')
    for (let count = 1; count < 10; count++) await enroll({ factor_type: 'totp', friendly_name: `n${count}` })
    expect(refusal(await enroll({ factor_type: 'totp', friendly_name: 'eleventh' }))).toBe(
      '422 too_many_enrolled_mfa_factors: Maximum number of verified factors reached, unenroll to continue',
    )
    // Begun and given up: they make room after five minutes.
    await server.moveClock('6 minutes')
    expect((await enroll({ factor_type: 'totp', friendly_name: 'eleventh' })).status).toBe(200)
  })

  it('of challenge and verification', async () => {
    const me = await fresh()
    const token = await tokenOf(me)
    const { body: factor } = await call(server, 'POST', '/factors', { token, body: { factor_type: 'totp' } })
    const unknown = '00000000-0000-4000-8000-000000000000'
    const { body: challenge } = await call(server, 'POST', `/factors/${factor.id}/challenge`, { token })
    const verify = (body: object, id = factor.id) => call(server, 'POST', `/factors/${id}/verify`, { token, body })
    expect(refusalCode(await call(server, 'POST', '/factors/x/challenge', { token, body: {} }))).toBe(
      '404 validation_failed',
    )
    expect(refusal(await verify({ challenge_id: challenge.id, code: '' }))).toBe(
      '400 validation_failed: Code needs to be non-empty',
    )
    expect(refusalCode(await verify({ challenge_id: unknown, code: '123456' }))).toBe('422 mfa_factor_not_found')
    const code = await codeOf(factor.totp.secret)
    expect((await verify({ challenge_id: challenge.id, code })).status).toBe(200)
    const token2 = await call(server, 'POST', `/factors/${factor.id}/verify`, {
      token,
      body: { challenge_id: challenge.id, code },
    })
    expect(refusalCode(token2)).toBe('422 mfa_ip_address_mismatch')
    const { body: late } = await call(server, 'POST', `/factors/${factor.id}/challenge`, { token })
    await server.moveClock('301 seconds')
    expect(refusalCode(await verify({ challenge_id: late.id, code: '123456' }))).toBe('422 mfa_challenge_expired')
  })
})
