import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { type AuthServer, startAuthServer } from '../testing/auth-server.ts'
import { call, refusal } from '../testing/call.ts'
import { codeOf, enroll, tokenOf } from '../testing/factors.ts'
import { signIn } from '../testing/sign-in.ts'
import { assurance } from './assurance.ts'

let server: AuthServer
/** Of one person with a second factor: a session without it, one that gave it long ago, and one that gave it just now. */
let tokens: Record<'weak' | 'old' | 'recent', string>

beforeAll(async () => {
  server = await startAuthServer()
  const email = 'guarded@example.com'
  const person = () => signIn(server.url, { provider: 'google', email })
  const old = await person()
  const { id, secret } = await enroll(server, old)
  await server.moveClock('11 minutes')
  const recent = await person()
  await recent.client.mfa.challengeAndVerify({ factorId: id, code: await codeOf(server, secret) })
  await old.client.refreshSession()
  tokens = { weak: await tokenOf(await person()), old: await tokenOf(old), recent: await tokenOf(recent) }
})
afterAll(() => server?.close())

/** What every route asks for, as the specification of this service: the table of the product must say the same. */
const asked = {
  'second factor': ['PUT /user', 'GET /reauthenticate'],
  'recent second factor': ['GET /user/identities/authorize', 'DELETE /user/identities/{id}', 'POST /factors'],
  session: [
    'GET /user',
    'POST /logout',
    'POST /factors/{id}/challenge',
    'POST /factors/{id}/verify',
    'DELETE /factors/{id}',
  ],
}
const uuid = '00000000-0000-4000-8000-000000000000'

test('every route that asks for a session is in this test', () => {
  const named = Object.entries(assurance).filter(([, { needs }]) => needs !== 'none' && needs !== 'service key')
  expect(Object.fromEntries(named.map(([route, { needs }]) => [route, needs]))).toEqual(
    Object.fromEntries(Object.entries(asked).flatMap(([needs, routes]) => routes.map((route) => [route, needs]))),
  )
})

describe.each([...asked['second factor'], ...asked['recent second factor']])('%s', (route) => {
  const [method, path] = route.replace('{id}', uuid).split(' ') as [string, string]
  const codeWith = async (token: string) =>
    (await call(server, method, path, { token, ...(method !== 'GET' && { body: {} }) })).body?.code

  it('is refused to a session without the second factor', async () => {
    expect(await codeWith(tokens.weak)).toBe('insufficient_aal')
  })
  it('asks for a recent code only where it says so', async () => {
    const refused = asked['recent second factor'].includes(route)
    expect((await codeWith(tokens.old)) === 'insufficient_aal').toBe(refused)
  })
  it('is open to a session that just gave the code', async () => {
    expect(await codeWith(tokens.recent)).not.toBe('insufficient_aal')
  })
})

it('linking by an id_token asks for a recent code, too', async () => {
  const answer = await call(server, 'POST', '/token?grant_type=id_token', {
    token: tokens.weak,
    body: { provider: 'google', id_token: 'x.y.z', link_identity: true },
  })
  expect(answer.body.code).toBe('insufficient_aal')
})

it('without a second factor, nothing of this is asked', async () => {
  const me = await signIn(server.url, { provider: 'google', email: 'plain@example.com' })
  expect((await me.client.updateUser({ data: { theme: 'dark' } })).error).toBeNull()
})

describe('signing out', () => {
  it('others is refused to a session without the second factor', async () => {
    expect(refusal(await call(server, 'POST', '/logout?scope=others', { token: tokens.weak }))).toBe(
      '403 insufficient_aal: Enter the code of your second factor to sign out other sessions.',
    )
  })
  it('everywhere from there leaves the stronger sessions', async () => {
    expect((await call(server, 'POST', '/logout?scope=global', { token: tokens.weak })).status).toBe(204)
    expect((await call(server, 'GET', '/user', { token: tokens.weak })).status).toBe(403)
    expect((await call(server, 'GET', '/user', { token: tokens.recent })).status).toBe(200)
  })
})

test('a route without a row cannot be registered', async () => {
  const { requireAssuranceRows } = await import('./assurance.ts')
  const { default: Fastify } = await import('fastify')
  const app = Fastify()
  requireAssuranceRows(app)
  expect(() => app.get('/auth/v1/new', () => ({}))).toThrow('GET /new does not say what it asks of a session.')
})
