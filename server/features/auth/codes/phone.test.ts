import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthServer, startAuthServer } from '../testing/auth-server.ts'
import { call, refusalCode } from '../testing/call.ts'
import { createClient, signIn } from '../testing/sign-in.ts'
import { type SmsReceiver, startSmsReceiver } from '../testing/sms.ts'

let server: AuthServer
let sms: SmsReceiver

beforeAll(async () => {
  sms = await startSmsReceiver()
  server = await startAuthServer({ env: { ...sms.env, AUTH_RATE_LIMITS: 'on' } })
})
afterAll(async () => {
  await server?.close()
  sms?.close()
})

describe('sign-in by telephone', () => {
  it('with the real client: a code by message, a session by the code', async () => {
    const { client } = createClient(server.url)
    const { data, error } = await client.signInWithOtp({ phone: '+49 151 12345678', options: { channel: 'whatsapp' } })
    expect([error, data.messageId]).toEqual([null, 'SM1'])
    expect(sms.received.at(-1)).toEqual({
      phone: '+4915112345678',
      text: expect.stringMatching(/^Your code is \d{6}$/),
      channel: 'whatsapp',
    })
    const verified = await client.verifyOtp({ type: 'sms', phone: '+4915112345678', token: sms.lastCode() })
    expect(verified.error).toBeNull()
    expect(verified.data.user).toMatchObject({
      phone: '4915112345678',
      phone_confirmed_at: expect.any(String),
      app_metadata: { provider: 'phone' },
      identities: [{ provider: 'phone' }],
    })
  })

  it('asked twice within a minute is refused', async () => {
    const ask = () => call(server, 'POST', '/otp', { body: { phone: '+4915187654321' } })
    expect((await ask()).body).toEqual({ message_id: 'SM1' })
    expect(refusalCode(await ask())).toBe('429 over_sms_send_rate_limit')
  })

  it('asked twice within a minute is answered where limits are off', async () => {
    const open = await startAuthServer({ env: { ...sms.env, AUTH_RATE_LIMITS: 'off' } })
    const ask = () => call(open, 'POST', '/otp', { body: { phone: '+4915187654322' } })
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    await open.close()
  })

  it('fails when the sender does not take the message, and makes nobody', async () => {
    sms.answer(500)
    const answer = await call(server, 'POST', '/otp', { body: { phone: '+4915100000000' } })
    expect(refusalCode(answer)).toBe('422 sms_send_failed')
    sms.answer(200)
    const { rowCount } = await server.db.pool.query(`select from auth.users where phone = '4915100000000'`)
    expect(rowCount).toBe(0)
  })

  it.each(['/otp', '/signup'])('%s waits for the sender outside of every transaction', async (path) => {
    const phone = `+49151${path.length}0000000`
    sms.hold()
    const asked = call(server, 'POST', path, { body: { phone, password: 'correct horse' } })
    await sms.arrived()
    const { rows } = await server.db.pool.query(
      `select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    )
    sms.release()
    expect(rows).toEqual([])
    expect((await asked).status).toBe(200)
  })
})

describe('a telephone as second factor', () => {
  it('is enrolled and verified by message', async () => {
    const { client } = await signIn(server.url, { provider: 'google', email: 'phone-factor@example.com' })
    const { data, error } = await client.mfa.enroll({ factorType: 'phone', phone: '+4915199999999', friendlyName: 'p' })
    expect(error).toBeNull()
    expect(data).toMatchObject({ type: 'phone', phone: '4915199999999' })
    const { data: challenge } = await client.mfa.challenge({ factorId: data!.id })
    const wrong = await client.mfa.verify({ factorId: data!.id, challengeId: challenge!.id, code: 'abcdef' })
    expect(wrong.error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
      message: 'Invalid MFA Phone code entered',
    })
    const right = await client.mfa.verify({ factorId: data!.id, challengeId: challenge!.id, code: sms.lastCode() })
    expect(right.error).toBeNull()
    expect((await client.getClaims()).data?.claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/phone' }, {}] })
    const again = await client.mfa.enroll({ factorType: 'phone', phone: '+4915199999999', friendlyName: 'q' })
    expect(again.error).toMatchObject({ status: 422, code: 'mfa_verified_factor_exists' })
    expect((await client.mfa.challenge({ factorId: data!.id })).error?.code).toBe('over_sms_send_rate_limit')
  })
})

describe('a change of number', () => {
  it('is confirmed by a code to the new one', async () => {
    const { client } = await signIn(server.url, { provider: 'google', email: 'phone-change@example.com' })
    const asked = await client.updateUser({ phone: '+4915122222222' })
    expect(asked.data.user).toMatchObject({ phone: '', new_phone: '4915122222222' })
    const done = await client.verifyOtp({ type: 'phone_change', phone: '+4915122222222', token: sms.lastCode() })
    expect(done.data.user).toMatchObject({ phone: '4915122222222' })
    await server.moveClock('61 seconds')
    const other = await signIn(server.url, { provider: 'google', email: 'phone-taken@example.com' })
    const taken = await other.client.updateUser({ phone: '+4915122222222' })
    expect(taken.error).toMatchObject({ status: 422, code: 'phone_exists' })
  })
})
