import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { type AuthServer, startAuthServer } from './testing/auth-server.ts'
import { call, refusal } from './testing/call.ts'

const server = await closeAfterTests(startAuthServer({ env: { AUTH_RATE_LIMITS: 'on', AUTH_MAILS_PER_HOUR: '2' } }))

const LIMITED = '429 over_request_rate_limit: Request rate limit reached'
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
    expect(refusal(await call(server, method, path, { body: {} }))).toBe(LIMITED)
  })
})

describe('other limits', () => {
  it('the whole instance has a budget of mails', async () => {
    const other = await startAuthServer({ env: { AUTH_RATE_LIMITS: 'on', AUTH_MAILS_PER_HOUR: '2' } })
    const ask = (email: string) => call(other, 'POST', '/otp', { body: { email } })
    expect([(await ask('a1@example.com')).status, (await ask('a2@example.com')).status]).toEqual([200, 200])
    expect(refusal(await ask('a3@example.com'))).toBe('429 over_email_send_rate_limit: email rate limit exceeded')
    await other.close()
  })

  it('one caller cannot use up the mails of everybody', async () => {
    const other = await startAuthServer({ env: { AUTH_RATE_LIMITS: 'on' } })
    const sent: Record<number, number> = {}
    for (const path of ['/otp', '/magiclink', '/recover', '/resend'])
      for (let count = 0; count < 30; count++) {
        const body = { type: 'signup', email: `budget${count}${path.slice(1)}@example.com` }
        const { status } = await call(other, 'POST', path, { body })
        sent[status] = (sent[status] ?? 0) + 1
      }
    expect(sent).toEqual({ 200: 100, 429: 20 })
    await other.close()
  })

  it('a mailbox gets twenty codes an hour, however its address is written', async () => {
    const other = await startAuthServer({ env: { AUTH_RATE_LIMITS: 'on' } })
    const statuses: number[] = []
    for (let count = 0; count < 21; count++)
      statuses.push((await call(other, 'POST', '/otp', { body: { email: `flood+${count}@example.com` } })).status)
    expect(statuses).toEqual([...Array(20).fill(200), 429])
    await other.close()
  })

  it('an address gets ten codes an hour at most', async () => {
    const other = await startAuthServer()
    const ask = () => call(other, 'POST', '/recover', { body: { email: 'often@example.com' } })
    for (let count = 0; count < 10; count++) {
      expect((await ask()).status).toBe(200)
      await other.moveClock('61 seconds')
    }
    expect(refusal(await ask())).toMatch(
      /^429 over_email_send_rate_limit: For security purposes, you can only request this after \d{3,4} seconds\.$/,
    )
    await other.moveClock('1 hour')
    expect((await ask()).status).toBe(200)
    await other.close()
  })
})

describe('passwords', () => {
  const password = 'correct horse battery staple 7'
  const email = 'target@example.com'
  let open: AuthServer
  beforeAll(async () => {
    open = await startAuthServer({
      env: { AUTH_RATE_LIMITS: 'on', AUTH_AUTOCONFIRM: 'on', TRUST_PROXY: '127.0.0.1' },
    })
  })
  afterAll(() => open?.close())

  const from = (address: string) => ({ 'x-forwarded-for': address })
  const attempt = async (address: string, given: string, account = email) =>
    (
      await call(open, 'POST', '/token?grant_type=password', {
        body: { email: account, password: given },
        headers: from(address),
      })
    ).status
  const own = '2001:db8:1:1::1'

  it('the right one is never counted', async () => {
    const answer = await call(open, 'POST', '/signup', { body: { email, password }, headers: from(own) })
    expect(answer.status).toBe(200)
    for (let count = 0; count < 25; count++) expect(await attempt('192.0.2.1', password)).toBe(200)
  })

  it('twenty wrong ones end the guesses of one address, also when sent at once, and nobody else', async () => {
    const statuses = await Promise.all(Array.from({ length: 24 }, () => attempt('192.0.2.2', 'a guess')))
    expect(statuses.sort()).toEqual([...Array(20).fill(400), ...Array(4).fill(429)])
    const refused = await call(open, 'POST', '/token?grant_type=password', {
      body: { email, password },
      headers: from('192.0.2.2'),
    })
    expect(refusal(refused)).toBe(LIMITED)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await attempt('192.0.2.3', password)).toBe(200)
  })

  it('guesses from many addresses end the guesses of all, but not of an address that the person has used', async () => {
    for (let network = 0; network < 8; network++) {
      const guesses = Array.from({ length: 10 }, () => attempt(`2001:db8:2:${network}::1`, 'a guess'))
      await Promise.all(guesses)
    }
    expect(await attempt('2001:db8:2:99::1', 'a guess')).toBe(429)
    expect(await attempt('2001:db8:2:99::1', password)).toBe(429)
    // Another address of the same /64, as a machine at home has them.
    expect(await attempt('2001:db8:1:1:aaaa::2', password)).toBe(200)
    expect(await attempt('192.0.2.3', password)).toBe(200)
  })

  it('one address tries sixty passwords of as many accounts', async () => {
    const statuses = []
    for (let count = 0; count < 61; count++)
      statuses.push(await attempt('192.0.2.4', 'a guess', `n${count}@example.com`))
    expect(statuses.filter((status) => status === 400)).toHaveLength(60)
    expect(statuses.at(-1)).toBe(429)
  })

  it('addresses of one IPv6 network are counted as one', async () => {
    const statuses = []
    for (let host = 1; host <= 31; host++) {
      const headers = from(`2001:db8:7::${host.toString(16)}`)
      statuses.push((await call(open, 'POST', '/recover', { body: {}, headers })).status)
    }
    expect(statuses.slice(0, 30)).not.toContain(429)
    expect(statuses.at(-1)).toBe(429)
  })
})
