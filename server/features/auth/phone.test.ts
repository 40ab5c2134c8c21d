import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthServer, startAuthServer } from './testing/auth-server.ts'
import { call, refusal } from './testing/call.ts'
import { createClient, signIn } from './testing/sign-in.ts'

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
interface Sms {
  phone: string
  text: string
  channel: string
}
let server: AuthServer
let sender: Server
let status = 200
const received: Sms[] = []

beforeAll(async () => {
  sender = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      // An independent implementation of the scheme checks our signature; it throws for a wrong one.
      const sms = new Webhook(SECRET).verify(
        Buffer.concat(chunks).toString(),
        request.headers as Record<string, string>,
      )
      if (status === 200) received.push(sms as Sms)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message_id: 'SM1' }))
    })
  })
  await new Promise<void>((done) => sender.listen(0, '127.0.0.1', done))
  const { port } = sender.address() as AddressInfo
  server = await startAuthServer({
    env: { AUTH_SMS_URL: `http://127.0.0.1:${port}/sms`, AUTH_SMS_SECRET: SECRET },
  })
})
afterAll(async () => {
  await server?.close()
  sender?.close()
})

const lastCode = () => /\d{6}/.exec(received.at(-1)?.text ?? '')?.[0] ?? ''

describe('sign-in by telephone', () => {
  it('with the real client: a code by message, a session by the code', async () => {
    const { client } = createClient(server.url)
    const { data, error } = await client.signInWithOtp({ phone: '+49 151 12345678', options: { channel: 'whatsapp' } })
    expect([error, data.messageId]).toEqual([null, 'SM1'])
    expect(received.at(-1)).toEqual({
      phone: '+4915112345678',
      text: expect.stringMatching(/^Your code is \d{6}$/),
      channel: 'whatsapp',
    })
    const verified = await client.verifyOtp({ type: 'sms', phone: '+4915112345678', token: lastCode() })
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
    expect(refusal(await ask()).slice(0, 2)).toEqual([429, 'over_sms_send_rate_limit'])
  })

  it('fails when the sender does not take the message, and makes nobody', async () => {
    status = 500
    const answer = await call(server, 'POST', '/otp', { body: { phone: '+4915100000000' } })
    expect(refusal(answer).slice(0, 2)).toEqual([422, 'sms_send_failed'])
    status = 200
    const { rowCount } = await server.db.pool.query(`select from auth.users where phone = '4915100000000'`)
    expect(rowCount).toBe(0)
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
    const right = await client.mfa.verify({ factorId: data!.id, challengeId: challenge!.id, code: lastCode() })
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
    const done = await client.verifyOtp({ type: 'phone_change', phone: '+4915122222222', token: lastCode() })
    expect(done.data.user).toMatchObject({ phone: '4915122222222' })
    await server.moveClock('61 seconds')
    const other = await signIn(server.url, { provider: 'google', email: 'phone-taken@example.com' })
    const taken = await other.client.updateUser({ phone: '+4915122222222' })
    expect(taken.error).toMatchObject({ status: 422, code: 'phone_exists' })
  })
})
