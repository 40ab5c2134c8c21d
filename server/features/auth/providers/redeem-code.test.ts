import { describe, expect, it } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { startAuthServer } from '../testing/auth-server.ts'
import { createClient, walk } from '../testing/sign-in.ts'

const server = await closeAfterTests(startAuthServer())

const VERIFIER = 'v'.repeat(43)

/** A code for a plain challenge, so that a test knows the verifier. */
async function freshCode(email: string): Promise<string> {
  const url = new URL(`${server.url}/auth/v1/authorize`)
  for (const [name, value] of Object.entries({
    provider: 'github',
    code_challenge: VERIFIER,
    code_challenge_method: 'plain',
    login_hint: email,
    prompt: 'none',
  }))
    url.searchParams.set(name, value)
  let next = url.toString()
  for (let step = 0; step < 3; step++) next = (await fetch(next, { redirect: 'manual' })).headers.get('location') ?? ''
  return new URL(next).searchParams.get('code') ?? ''
}

const redeem = (body: unknown) =>
  fetch(`${server.url}/auth/v1/token?grant_type=pkce`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify(body),
  })

const sessionsOf = async (email: string) =>
  (
    await server.db.pool.query('select from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1', [
      email,
    ])
  ).rowCount

describe('POST /token?grant_type=pkce', () => {
  it('gives one session for fifty parallel redemptions of one code', async () => {
    const code = await freshCode('fifty@example.com')
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => redeem({ auth_code: code, code_verifier: VERIFIER })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(49).fill(404)])
    expect(await sessionsOf('fifty@example.com')).toBe(1)
    const refused = answers.find(({ status }) => status === 404)
    expect(await refused?.json()).toEqual({
      code: 'flow_state_not_found',
      message: 'invalid flow state, no valid flow state found',
    })
  })

  it('refuses a wrong verifier and leaves the code to its owner', async () => {
    const code = await freshCode('owner@example.com')
    const wrong = await redeem({ auth_code: code, code_verifier: 'w'.repeat(43) })
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      { code: 'bad_code_verifier', message: 'code challenge does not match previously saved code verifier' },
    ])
    expect(await sessionsOf('owner@example.com')).toBe(0)
    expect((await redeem({ auth_code: code, code_verifier: VERIFIER })).status).toBe(200)
  })

  it('refuses a code after five minutes', async () => {
    const code = await freshCode('late@example.com')
    await server.db.pool.query(`update auth.flow_states set expires_at = app_now()`)
    const response = await redeem({ auth_code: code, code_verifier: VERIFIER })
    expect([response.status, (await response.json()).code]).toEqual([422, 'flow_state_expired'])
  })

  it.each([
    [{}, 400, 'validation_failed'],
    [{ auth_code: '', code_verifier: VERIFIER }, 400, 'validation_failed'],
    [{ auth_code: 'x', code_verifier: null }, 400, 'validation_failed'],
    [{ auth_code: 'x', code_verifier: VERIFIER }, 404, 'flow_state_not_found'],
    [{ auth_code: 5, code_verifier: VERIFIER }, 400, 'bad_json'],
    ['text', 400, 'bad_json'],
    [null, 400, 'bad_json'],
    [{ auth_code: 'a\0b', code_verifier: VERIFIER }, 400, 'bad_json'],
  ])('%j answers %i %s', async (body, status, code) => {
    const response = await redeem(body)
    expect([response.status, (await response.json()).code]).toEqual([status, code])
  })

  it('keeps nothing that a thief of the database could use', async () => {
    const code = await freshCode('stored@example.com')
    const { rows } = await server.db.pool.query('select * from auth.flow_states')
    expect(rows.length).toBeGreaterThan(0)
    const stored = JSON.stringify(
      rows.map((row) => Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value))),
    )
    expect(stored).not.toContain(code)
    expect(stored).not.toContain('gho_')
  })

  it('the client keeps its verifier to itself: another client cannot redeem its code', async () => {
    const thief = createClient(server.url).client
    const end = await walk(server.url, createClient(server.url).client, {
      provider: 'google',
      email: 'pkce@example.com',
    })
    await walk(server.url, thief, { provider: 'google', email: 'thief@example.com' })
    const { error } = await thief.exchangeCodeForSession(end.searchParams.get('code') ?? '')
    expect(error).toMatchObject({ status: 400, code: 'bad_code_verifier' })
  })

  it('another grant is refused', async () => {
    const response = await fetch(`${server.url}/auth/v1/token?grant_type=device`, {
      method: 'POST',
      headers: { 'x-supabase-api-version': '2024-01-01' },
    })
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: 'invalid_credentials', message: 'unsupported_grant_type' },
    ])
  })
})
