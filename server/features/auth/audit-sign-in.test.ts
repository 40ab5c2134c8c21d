import { describe, expect, it } from 'vitest'
import { auditScene, type Event, PASSWORD, sessionOf, uuid } from './testing/audit-scene.ts'
import { newEmail } from './testing/register.ts'
import { createClient, signIn, walk } from './testing/sign-in.ts'

const scene = await auditScene()
const { written, secret, mark, later, post, someone, registered, mailed, after } = scene

const events: Event[] = [
  [
    'a first sign-in with Google',
    async () => {
      await mark()
      return (await someone()).session.user.id
    },
    [
      ['auth.signed_up', expect.stringMatching(/^google:/)],
      ['auth.signed_in', uuid],
    ],
  ],
  [
    'a later sign-in',
    after(someone, (me) => signIn(scene.server.url, { provider: 'google', email: me.session.user.email! })),
    [['auth.signed_in', uuid]],
  ],
  [
    'a second provider with the same verified address',
    after(someone, (me) => signIn(scene.server.url, { provider: 'github', email: me.session.user.email! })),
    [
      ['auth.identity_linked', expect.stringMatching(/^github:/)],
      ['auth.signed_in', uuid],
    ],
  ],
  [
    'a code in the hands of somebody without its verifier',
    async () => {
      const me = await someone()
      const { client } = createClient(scene.server.url)
      const end = await walk(scene.server.url, client, { provider: 'google', email: me.session.user.email! })
      const auth_code = secret(end.searchParams.get('code') ?? '')
      await mark()
      await post('/token?grant_type=pkce', { auth_code, code_verifier: 'x'.repeat(50) })
      return me.session.user.id
    },
    [['auth.sign_in_failed', 'verifier']],
  ],
  [
    'a sign-up by email',
    async () => {
      const email = newEmail()
      await mark()
      await post('/signup', { email, password: PASSWORD })
      const { code } = await mailed(email)
      const { body } = await post('/verify', { type: 'signup', email, token: code })
      return body.user.id
    },
    [
      ['auth.signed_up', 'email'],
      ['auth.code_sent', 'confirmation'],
      ['auth.email_confirmed', uuid],
      ['auth.signed_in', uuid],
    ],
  ],
  [
    'a sign-in with a password',
    after(registered, (me) => post('/token?grant_type=password', { email: me.email, password: me.password })),
    [['auth.signed_in', uuid]],
  ],
  [
    'a wrong password',
    after(registered, (me) =>
      post('/token?grant_type=password', { email: me.email, password: secret('a wild guess') }),
    ),
    [['auth.sign_in_failed', 'password']],
  ],
  [
    'the right password of a banned person',
    async () => {
      const me = await registered()
      await scene.admin.updateUserById(me.user.id, { ban_duration: '1h' })
      await mark()
      await post('/token?grant_type=password', { email: me.email, password: me.password })
      return me.user.id
    },
    [['auth.sign_in_failed', 'password']],
  ],
  [
    'a wrong mailed code',
    async () => {
      const me = await registered()
      await post('/recover', { email: me.email })
      await mark()
      await post('/verify', { type: 'recovery', email: me.email, token: 'abcdef' })
      return me.user.id
    },
    [['auth.code_refused', 'recovery']],
  ],
  [
    'a recovery, by its code',
    after(registered, async (me) => {
      await post('/recover', { email: me.email })
      const { code } = await mailed(me.email, 2)
      await post('/verify', { type: 'recovery', email: me.email, token: code })
    }),
    [
      ['auth.code_sent', 'recovery'],
      ['auth.signed_in', uuid],
    ],
  ],
  [
    'an address whose owner finds an unconfirmed registration by somebody else',
    async () => {
      const email = newEmail()
      const { body } = await post('/signup', { email, password: PASSWORD })
      await mark()
      await signIn(scene.server.url, { provider: 'google', email })
      return body.id
    },
    [
      ['auth.unproven_cleared', uuid],
      ['auth.email_confirmed', uuid],
      ['auth.identity_linked', expect.stringMatching(/^google:/)],
      ['auth.signed_in', uuid],
    ],
  ],
  ...(['global', 'local', 'others'] as const).map(
    (scope): Event => [
      `a sign-out, ${scope}`,
      after(someone, (me) => me.client.signOut({ scope })),
      [['auth.signed_out', uuid]],
    ],
  ),
  [
    'the parent of the current refresh token',
    async () => {
      const me = await someone()
      const refresh_token = me.session.refresh_token
      await post('/token?grant_type=refresh_token', { refresh_token })
      await mark()
      const { body } = await post('/token?grant_type=refresh_token', { refresh_token })
      secret(body.refresh_token)
      return me.session.user.id
    },
    [['auth.refresh_token_reused', uuid]],
  ],
  [
    'an old refresh token',
    async () => {
      const me = await someone()
      await me.client.refreshSession()
      await me.client.refreshSession()
      await later('11 seconds')
      await mark()
      await post('/token?grant_type=refresh_token', { refresh_token: me.session.refresh_token })
      return me.session.user.id
    },
    [['auth.session_ended_by_reuse', uuid]],
  ],
]

describe('the audit log', () => {
  it.each(events)('tells of %s', async (_name, act, rows) => {
    const person = await act()
    const found = await written()
    expect(found.map(({ action, target }) => [action, target])).toEqual(rows)
    expect(new Set(found.map(({ actor }) => actor))).toEqual(new Set([`user:${person}`]))
  })

  it('tells which sessions a sign-out ended, from where a sign-in came, and why one failed', async () => {
    const me = await registered()
    const again = await post('/token?grant_type=password', { email: me.email, password: me.password })
    await mark()
    await post('/logout?scope=others', undefined, again.body.access_token)
    await scene.admin.updateUserById(me.user.id, { ban_duration: '1h' })
    await post('/token?grant_type=password', { email: me.email, password: me.password })
    const [out, , refused] = await written()
    expect(out).toMatchObject({ target: sessionOf(again.body.access_token), detail: { scope: 'others' } })
    expect(refused.detail).toEqual({ because: 'user_banned', ip: expect.stringMatching(/127\.0\.0\.1$/) })
  })

  it('holds no password, code, token or key of all this', async () => {
    expect(scene.secrets.size).toBeGreaterThan(10)
    expect(await scene.leaked()).toEqual([])
  })
})
