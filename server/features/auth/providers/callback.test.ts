import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { type AuthServer, startAuthServer } from '../testing/auth-server.ts'
import { type Browser, createBrowser } from '../testing/browser.ts'
import { createClient } from '../testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer())

/** A sign-in up to the callback that the browser would open next. */
async function untilCallback(browser: Browser = createBrowser(), at = server) {
  const { client } = createClient(at.url)
  const { data } = await client.signInWithOAuth({
    provider: 'github',
    options: {
      redirectTo: `${at.config.PUBLIC_URL}/auth/callback?from=login`,
      skipBrowserRedirect: true,
      queryParams: { login_hint: 'noor@example.com', prompt: 'none' },
    },
  })
  const callback = await browser.follow(data.url ?? '', (next) => !next.pathname.endsWith('/auth/v1/callback'))
  return { browser, client, callback: callback.toString(), state: callback.searchParams.get('state') ?? '' }
}

async function errorOf(response: Response) {
  const location = new URL(response.headers.get('location') ?? '')
  const { error, error_code, error_description } = Object.fromEntries(location.searchParams)
  return { status: response.status, target: location.origin + location.pathname, error, error_code, error_description }
}

describe('the state of a flow', () => {
  const toSite = () => ({ status: 303, target: `${server.url}/`, error: 'invalid_request' })

  it.each([
    ['missing', '', 'bad_oauth_callback', 'OAuth state parameter missing'],
    ['not a UUID', 'state=abc', 'bad_oauth_state', 'OAuth state parameter is invalid'],
    ['unknown', `state=${randomUUID()}`, 'bad_oauth_state', 'OAuth state not found or expired'],
  ])('%s leads to the site with the reason', async (_name, parameters, error_code, error_description) => {
    const response = await createBrowser().visit(`${server.url}/auth/v1/callback?code=x&${parameters}`)
    expect(await errorOf(response)).toEqual({ ...toSite(), error_code, error_description })
    expect(new URL(response.headers.get('location') ?? '').hash).toMatch(/^#error=.*&sb=$/)
  })

  it('serves once', async () => {
    const { browser, callback } = await untilCallback()
    const first = await browser.visit(callback)
    expect(first.status).toBe(302)
    expect(first.headers.get('referrer-policy')).toBe('no-referrer')
    const target = new URL(first.headers.get('location') ?? '')
    expect([...target.searchParams.keys()]).toEqual(['code', 'from'])
    expect(await errorOf(await browser.visit(callback))).toEqual({
      ...toSite(),
      error_code: 'flow_state_already_used',
      error_description: 'State has already been used',
    })
  })

  it('serves one of twenty parallel callbacks', async () => {
    const { browser, callback } = await untilCallback()
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await browser.visit(callback)).status))
    expect(statuses.filter((status) => status === 302)).toHaveLength(1)
    expect(statuses.filter((status) => status === 303)).toHaveLength(19)
  })

  it('is void after five minutes', async () => {
    const other = await startAuthServer()
    const { browser, callback } = await untilCallback(createBrowser(), other)
    await other.moveClock('301 seconds')
    expect(await errorOf(await browser.visit(callback))).toMatchObject({
      error_code: 'bad_oauth_state',
      error_description: 'OAuth state has expired',
    })
    await other.close()
  })

  it('belongs to the browser that started it', async () => {
    const { browser: attacker, callback } = await untilCallback()
    const { browser: victim, state } = await untilCallback()
    const [name] = [...attacker.cookies.keys()]
    victim.cookies.set(name ?? '', [...victim.cookies.values()][0] ?? '')
    expect(await errorOf(await victim.visit(callback))).toEqual({
      ...toSite(),
      error_code: 'bad_oauth_state',
      error_description: 'OAuth state belongs to a sign-in that was started in another browser',
    })
    expect(state).not.toBe('')
    expect((await attacker.visit(callback)).status).toBe(302)
  })

  it('needs no cookie on a plain loopback address', async () => {
    const { callback } = await untilCallback()
    expect((await createBrowser().visit(callback)).status).toBe(302)
  })

  it('takes a form post as well', async () => {
    const { browser, callback } = await untilCallback()
    const { searchParams } = new URL(callback)
    const response = await browser.visit(`${server.url}/auth/v1/callback`, { method: 'POST', body: searchParams })
    expect(response.status).toBe(302)
    expect(new URL(response.headers.get('location') ?? '').searchParams.has('code')).toBe(true)
  })
})

describe('behind https', () => {
  let secure: AuthServer
  beforeAll(async () => {
    secure = await startAuthServer({ env: { PUBLIC_URL: 'https://finmeter.example', SANDBOX: 'on' } })
  })
  afterAll(() => secure?.close())

  const authorize = () =>
    fetch(
      `${secure.url}/auth/v1/authorize?provider=github&code_challenge=${'a'.repeat(43)}&code_challenge_method=s256`,
      { redirect: 'manual' },
    )

  it('the cookie of a flow is bound to the host, unreadable for scripts and short-lived', async () => {
    const response = await authorize()
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-finmeter-flow-[0-9a-f]{8}=[\w-]{43}; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  it('a callback without the cookie is refused', async () => {
    const state = new URL((await authorize()).headers.get('location') ?? '').searchParams.get('state')
    const response = await fetch(`${secure.url}/auth/v1/callback?state=${state}&code=x`, { redirect: 'manual' })
    expect(await errorOf(response)).toMatchObject({
      status: 303,
      target: 'https://finmeter.example/',
      error_code: 'bad_oauth_state',
    })
  })

  it('a form post is repeated by GET, so that the cookie comes along', async () => {
    const response = await fetch(`${secure.url}/auth/v1/callback`, {
      method: 'POST',
      body: new URLSearchParams({ state: 's', code: 'c' }),
      redirect: 'manual',
    })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      'https://finmeter.example/auth/v1/callback?state=s&code=c',
    ])
  })

  it('links are made from the public address, whatever the request claims', async () => {
    const response = await fetch(`${secure.url}/auth/v1/callback?state=x`, {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
    })
    expect(response.headers.get('location')).toMatch(/^https:\/\/finmeter\.example\//)
  })
})
