import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthServer, startAuthServer } from './testing/auth-server.ts'
import { call, refusal } from './testing/call.ts'

let server: AuthServer

beforeAll(async () => {
  server = await startAuthServer({ env: { AUTH_RATE_LIMITS: 'on', AUTH_MAILS_PER_HOUR: '2' } })
})
afterAll(() => server?.close())

const LIMITED = [429, 'over_request_rate_limit', 'Request rate limit reached']
const unknown = '00000000-0000-4000-8000-000000000000'

describe('limits per address', () => {
  it.each([
    ['POST', '/verify', 30],
    ['POST', '/signup', 30],
    ['POST', '/otp', 30],
    ['POST', '/magiclink', 30],
    ['POST', '/recover', 30],
    ['POST', '/resend', 30],
    ['PUT', '/user', 30],
    ['POST', `/factors/${unknown}/challenge`, 15],
    ['POST', `/factors/${unknown}/verify`, 15],
    ['POST', '/token?grant_type=refresh_token', 150],
  ])('%s %s: %i requests', async (method, path, allowed) => {
    const statuses = []
    for (let count = 0; count <= allowed; count++)
      statuses.push((await call(server, method, path, { body: {} })).status)
    expect(statuses.slice(0, allowed)).not.toContain(429)
    expect(statuses.at(-1)).toBe(429)
    expect(refusal(await call(server, method, path, { body: {} }))).toEqual(LIMITED)
  })
})

describe('other limits', () => {
  it('passwords of one account are tried twenty times, whoever tries', async () => {
    const other = await startAuthServer({ env: { AUTH_RATE_LIMITS: 'on' } })
    const attempt = () =>
      call(other, 'POST', '/token?grant_type=password', { body: { email: 'target@example.com', password: 'a guess' } })
    const statuses = []
    for (let count = 0; count < 21; count++) statuses.push((await attempt()).status)
    expect(statuses).toEqual([...Array(20).fill(400), 429])
    await other.close()
  })

  it('the whole instance has a budget of mails', async () => {
    const other = await startAuthServer({ env: { AUTH_RATE_LIMITS: 'on', AUTH_MAILS_PER_HOUR: '2' } })
    const ask = (email: string) => call(other, 'POST', '/otp', { body: { email } })
    expect([(await ask('a1@example.com')).status, (await ask('a2@example.com')).status]).toEqual([200, 200])
    expect(refusal(await ask('a3@example.com'))).toEqual([
      429,
      'over_email_send_rate_limit',
      'email rate limit exceeded',
    ])
    await other.close()
  })

  it('an address gets ten codes an hour at most', async () => {
    const other = await startAuthServer()
    const ask = () => call(other, 'POST', '/recover', { body: { email: 'often@example.com' } })
    for (let count = 0; count < 10; count++) {
      expect((await ask()).status).toBe(200)
      await other.moveClock('61 seconds')
    }
    expect(refusal(await ask())).toEqual([
      429,
      'over_email_send_rate_limit',
      expect.stringMatching(/^For security purposes, you can only request this after \d{3,4} seconds\.$/),
    ])
    await other.moveClock('1 hour')
    expect((await ask()).status).toBe(200)
    await other.close()
  })
})
