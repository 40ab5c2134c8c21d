import { GoTrueAdminApi } from '@supabase/auth-js'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { createSecrets } from '../../secrets/secrets.ts'
import { createTestDatabase, type TestDatabase, testConfig } from '../../testing/harness.ts'
import { type ServerProcess, startServerProcess } from '../../testing/process.ts'
import { call } from './testing/call.ts'
import { newEmail } from './testing/register.ts'
import { createClient, linkGithub, signIn, walk } from './testing/sign-in.ts'
import { type SmsReceiver, startSmsReceiver } from './testing/sms.ts'
import { recordTraffic } from './testing/traffic.ts'
import { createAccessTokens } from './tokens/access-tokens.ts'

const KEYS_SECRET = 'ab'.repeat(32)
let database: TestDatabase
let product: ServerProcess
let sms: SmsReceiver
let url: string
let serviceKey: string
let output = ''
let traffic: ReturnType<typeof recordTraffic>

/** The product as a process of its own, at its most talkative: whatever it prints is its log. */
beforeAll(async () => {
  database = await createTestDatabase()
  sms = await startSmsReceiver()
  const port = await freePort()
  url = `http://localhost:${port}`
  product = startServerProcess({
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: database.url,
    KEYS_SECRET,
    LOG_LEVEL: 'trace',
    AUTH_RATE_LIMITS: 'off',
    AUTH_PASSWORD_SIGNUP: 'on',
    AUTH_PASSWORD_UPDATE: 'reauthentication',
    ...sms.env,
  })
  for (const stream of [product.child.stdout, product.child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  await product.ready
  const config = testConfig(database.url, port)
  const tokens = await createAccessTokens({
    config,
    db: database.db,
    secrets: createSecrets(KEYS_SECRET),
    log: undefined as never,
  })
  serviceKey = await tokens.signServiceKey()
})
afterAll(async () => {
  await product?.stop()
  sms?.close()
  await database?.drop()
})

const request = (method: string, path: string, body?: unknown, token?: string) =>
  call({ url }, method, path, { ...(body !== undefined && { body }), token })

interface Mailed {
  code: string
  link: string
  token: string
}
async function mailed(to: string, count: number): Promise<Mailed> {
  const text = await vi.waitUntil(
    async () => {
      const { messages } = await (await fetch(`${url}/sandbox/mail/messages?to=${to}`)).json()
      return messages.length >= count && (messages[0].text as string)
    },
    { timeout: 120_000, interval: 50 },
  )
  const link = /https?:\/\/\S+\/auth\/v1\/verify\S+/.exec(text)?.[0] ?? ''
  const token = link ? (new URL(link).searchParams.get('token') ?? '') : ''
  const code = /^\d{6}$/m.exec(text)![0]
  for (const secret of [code, token]) if (secret) traffic.secrets.add(secret)
  return { code, link, token }
}

/** Somebody who signs up, recovers, changes address and password, by codes and by links. */
async function byMail(): Promise<void> {
  const [email, next] = [newEmail(), newEmail()]
  await request('POST', '/signup', { email, password: 'correct horse battery' })
  await request('POST', '/resend', { type: 'signup', email })
  await request('POST', '/verify', { type: 'signup', email, token: '000000' })
  const confirmation = await mailed(email, 1)
  await fetch(confirmation.link)
  await fetch(`${url}/auth/v1/verify`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token: confirmation.token, type: 'signup' }),
  })
  await request('POST', '/token?grant_type=password', { email, password: 'a wild guess 1' })
  const { body: session } = await request('POST', '/token?grant_type=password', {
    email,
    password: 'correct horse battery',
  })
  await request('POST', '/recover', { email })
  const recovery = await mailed(email, 2)
  await request('POST', '/verify', { type: 'recovery', token_hash: recovery.token })
  await request('PUT', '/user', { email: next, data: { a: 1 } }, session.access_token)
  const [old, fresh] = [await mailed(email, 3), await mailed(next, 1)]
  await fetch(old.link)
  await request('POST', '/verify', { type: 'email_change', email: next, token: fresh.code })
  await request('POST', '/verify', { type: 'email_change', email, token: old.code })
  await request('GET', '/reauthenticate', undefined, session.access_token)
  const { code: nonce } = await mailed(next, 2)
  await request('PUT', '/user', { password: 'battery staple horse', nonce }, session.access_token)
  await request('POST', '/magiclink', { email: next })
  await request('POST', '/otp', { email: newEmail() })
  const { client } = createClient(url)
  const other = newEmail()
  await client.signInWithOtp({ email: other, options: { emailRedirectTo: `${url}/auth/callback` } })
  const bound = await fetch((await mailed(other, 1)).link, { redirect: 'manual' })
  const code = new URL(bound.headers.get('location') ?? '').searchParams.get('code') ?? ''
  expect((await client.exchangeCodeForSession(code)).error).toBeNull()
  await client.signOut()
}

/** Somebody of the providers: second factors, linking, refresh, reuse, sign-out; and what goes wrong on the way. */
async function byProvider(): Promise<void> {
  const { client, session } = await signIn(url, { provider: 'google', email: newEmail() })
  await client.refreshSession()
  await client.refreshSession()
  await request('POST', '/token?grant_type=refresh_token', { refresh_token: session.refresh_token })
  const { data } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' })
  await client.mfa.challengeAndVerify({ factorId: data!.id, code: '000000' })
  const code = new TOTP({ secret: data!.totp.secret }).generate()
  expect((await client.mfa.challengeAndVerify({ factorId: data!.id, code })).error).toBeNull()
  const phone = await client.mfa.enroll({ factorType: 'phone', phone: '+4915112345678', friendlyName: 'p' })
  const { data: challenge } = await client.mfa.challenge({ factorId: phone.data!.id })
  await client.mfa.verify({ factorId: phone.data!.id, challengeId: challenge!.id, code: sms.lastCode() })
  const end = await linkGithub(url, client, { email: newEmail(), redirectTo: `${url}/auth/callback` })
  await client.exchangeCodeForSession(end.searchParams.get('code') ?? '')
  const { data: held } = await client.getUserIdentities()
  for (const identity of held!.identities.slice(1)) await client.unlinkIdentity(identity)
  const { data: now } = await client.getSession()
  const token = now.session!.access_token
  const posted = await fetch(`${url}/api/auth/callback`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ access_token: token, refresh_token: now.session!.refresh_token, user: {} }),
  })
  expect(posted.status).toBe(200)
  await client.mfa.unenroll({ factorId: data!.id })
  await client.signOut()

  const stranger = createClient(url)
  const left = await walk(url, stranger.client, { provider: 'github', email: newEmail() })
  const auth_code = left.searchParams.get('code') ?? ''
  await request('POST', '/token?grant_type=pkce', { auth_code, code_verifier: `not-the-verifier-${'x'.repeat(40)}` })
  await request('POST', '/token?grant_type=pkce', { auth_code: 'made-up-code-1', code_verifier: 'made-up-verifier-1' })
  await request('POST', '/token?grant_type=id_token', { provider: 'google', id_token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln' })
  await request('POST', '/token?grant_type=password', '{"email":"a@example.com","password":"half-a-body-secret"')
  for (const provider of ['google', 'github'] as const) {
    const started = await createClient(url).client.signInWithOAuth({ provider, options: { skipBrowserRedirect: true } })
    const to = (await fetch(started.data.url ?? '', { redirect: 'manual' })).headers.get('location') ?? ''
    const state = new URL(to).searchParams.get('state')
    await fetch(`${url}/auth/v1/callback?state=${state}&code=wrong-code-12345`, { redirect: 'manual' })
    await fetch(`${url}/auth/v1/callback`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ state: state ?? '', code: 'posted-code-12345' }),
    })
  }
  await request('GET', '/user', undefined, `${session.access_token}x`)
  await request('GET', '/nowhere?token=a-token-in-a-lost-query')
}

async function byOperator(): Promise<void> {
  const admin = new GoTrueAdminApi({ url: `${url}/auth/v1`, headers: { Authorization: `Bearer ${serviceKey}` } })
  const email = newEmail()
  const { data } = await admin.createUser({ email, password: 'set by the operator' })
  await admin.updateUserById(data.user!.id, { password: 'set once more', email_confirm: true })
  await admin.listUsers()
  await admin.getUserById(data.user!.id)
  await admin.mfa.listFactors({ userId: data.user!.id })
  await admin.mfa.deleteFactor({ userId: data.user!.id, id: data.user!.id })
  await admin.inviteUserByEmail(newEmail())
  const { data: link } = await admin.generateLink({ type: 'magiclink', email })
  await fetch(link.properties!.action_link)
  await admin.deleteUser(data.user!.id)
}

const ROUTES = [
  'GET /auth/v1/authorize',
  'GET /auth/v1/callback',
  'POST /auth/v1/callback',
  'POST /auth/v1/token',
  'POST /auth/v1/signup',
  'POST /auth/v1/otp',
  'POST /auth/v1/magiclink',
  'POST /auth/v1/recover',
  'POST /auth/v1/resend',
  'GET /auth/v1/reauthenticate',
  'POST /auth/v1/verify',
  'GET /auth/v1/verify',
  'GET /auth/v1/user',
  'PUT /auth/v1/user',
  'POST /auth/v1/logout',
  'GET /auth/v1/user/identities/authorize',
  'DELETE /auth/v1/user/identities/{id}',
  'POST /auth/v1/factors',
  'POST /auth/v1/factors/{id}/challenge',
  'POST /auth/v1/factors/{id}/verify',
  'DELETE /auth/v1/factors/{id}',
  'GET /auth/v1/admin/users',
  'POST /auth/v1/admin/users',
  'GET /auth/v1/admin/users/{id}',
  'PUT /auth/v1/admin/users/{id}',
  'DELETE /auth/v1/admin/users/{id}',
  'GET /auth/v1/admin/users/{id}/factors',
  'DELETE /auth/v1/admin/users/{id}/factors/{id}',
  'POST /auth/v1/admin/generate_link',
  'POST /auth/v1/invite',
  'POST /api/auth/callback',
]

it('no token, code, password or secret that travelled is in anything that the product prints', async () => {
  traffic = recordTraffic()
  try {
    await byMail()
    await byProvider()
    await byOperator()
  } finally {
    traffic.stop()
  }
  expect(ROUTES.filter((route) => !traffic.visited.has(route))).toEqual([])
  expect(traffic.secrets.size).toBeGreaterThan(70)
  for (const known of ['correct horse battery', 'half-a-body-secret', 'posted-code-12345', 'a-token-in-a-lost-query'])
    expect(traffic.secrets).toContain(known)
  // Something was printed, so something could have been found.
  expect(output).toContain('/auth/v1/token')
  const words = new Set(output.split(/[^\w.-]+/))
  const found = [...traffic.secrets].filter((text) => (/^\d{6}$/.test(text) ? words.has(text) : output.includes(text)))
  expect(found).toEqual([])
})
