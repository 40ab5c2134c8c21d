import { GoTrueAdminApi } from '@supabase/auth-js'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSecrets } from '../../secrets.ts'
import { retireSigningKey, rotateSigningKey } from './signing-keys.ts'
import { type AuthServer, startAuthServer } from './testing/auth-server.ts'
import { createBrowser } from './testing/browser.ts'
import { call } from './testing/call.ts'
import { readCodeMail } from './testing/mail.ts'
import { newEmail, type Registered, registerByEmail } from './testing/register.ts'
import { createClient, type SignedIn, signIn, walk } from './testing/sign-in.ts'
import { type SmsReceiver, startSmsReceiver } from './testing/sms.ts'

let server: AuthServer
let sms: SmsReceiver
let admin: GoTrueAdminApi
let serviceKey: string
/** Everything that travelled and may stand nowhere. */
const secrets = new Set<string>()
const secret = (text: string | undefined): string => {
  if (text) secrets.add(text)
  return text ?? ''
}
const PASSWORD = secret('correct horse')

beforeAll(async () => {
  sms = await startSmsReceiver()
  server = await startAuthServer({ env: { ...sms.env, AUTH_PASSWORD_UPDATE: 'reauthentication' } })
  serviceKey = secret(await server.accessTokens.signServiceKey())
  admin = new GoTrueAdminApi({ url: `${server.url}/auth/v1`, headers: { Authorization: `Bearer ${serviceKey}` } })
})
afterAll(async () => {
  await server?.close()
  sms?.close()
})

let marker = 0
/** What is written from here on belongs to the event. */
const mark = async () => {
  const { rows } = await server.db.pool.query('select coalesce(max(id), 0) as id from audit_log')
  marker = Number(rows[0].id)
}
const written = async () =>
  (
    await server.db.pool.query('select actor, action, target, detail from audit_log where id > $1 order by id', [
      marker,
    ])
  ).rows
const later = (interval: string) => server.moveClock(interval)
const post = (path: string, body: unknown, token?: string) => call(server, 'POST', path, { body, token })
const put = (body: unknown, token?: string) => call(server, 'PUT', '/user', { body, token })

const someone = async (): Promise<SignedIn> => {
  const made = await signIn(server.url, { provider: 'google', email: newEmail() })
  secret(made.session.access_token)
  secret(made.session.refresh_token)
  return made
}
const registered = async (): Promise<Registered> => {
  const made = await registerByEmail(server)
  secret(made.access_token)
  secret(made.refresh_token)
  return made
}
const codeOf = async (base32: string): Promise<string> => {
  const { rows } = await server.db.pool.query('select extract(epoch from app_now()) * 1000 as now')
  return secret(new TOTP({ secret: secret(base32) }).generate({ timestamp: Number(rows[0].now) }))
}
const begun = async ({ client }: SignedIn) => {
  const { data, error } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' })
  if (error) throw error
  secret(data.totp.secret)
  return { id: data.id, base32: data.totp.secret }
}
const enrolled = async (me: SignedIn) => {
  const { id, base32 } = await begun(me)
  const code = await codeOf(base32)
  const { error } = await me.client.mfa.challengeAndVerify({ factorId: id, code })
  if (error) throw error
  return { id, code }
}
const mailed = async (to: string, count = 1) => {
  const mail = await readCodeMail(server, to, count)
  secret(mail.code)
  secret(mail.token)
  return mail
}
const sessionOf = (token: string): string => JSON.parse(atob(token.split('.')[1]!)).session_id
const linkGithub = async ({ client }: SignedIn) => {
  const { data, error } = await client.linkIdentity({
    provider: 'github',
    options: {
      redirectTo: `${server.url}/settings`,
      skipBrowserRedirect: true,
      queryParams: { login_hint: newEmail(), prompt: 'none' },
    },
  })
  if (error) throw error
  const end = await createBrowser().follow(data.url, ({ pathname }) => /^\/(auth\/v1|sandbox)\//.test(pathname))
  return secret(end.searchParams.get('code') ?? '')
}

/** What happens after `mark()`, whose access it is, and the rows that it leaves: action and target, in order. */
type Event = readonly [name: string, act: () => Promise<string>, rows: [action: string, target: unknown][]]
const id = expect.stringMatching(/^[0-9a-f-]{36}$/)

const events: Event[] = [
  [
    'a first sign-in with Google',
    async () => {
      await mark()
      return (await someone()).session.user.id
    },
    [
      ['auth.signed_up', expect.stringMatching(/^google:/)],
      ['auth.signed_in', id],
    ],
  ],
  [
    'a later sign-in',
    async () => {
      const me = await someone()
      await mark()
      await signIn(server.url, { provider: 'google', email: me.session.user.email! })
      return me.session.user.id
    },
    [['auth.signed_in', id]],
  ],
  [
    'a second provider with the same verified address',
    async () => {
      const me = await someone()
      await mark()
      await signIn(server.url, { provider: 'github', email: me.session.user.email! })
      return me.session.user.id
    },
    [
      ['auth.identity_linked', expect.stringMatching(/^github:/)],
      ['auth.signed_in', id],
    ],
  ],
  [
    'a code in the hands of somebody without its verifier',
    async () => {
      const me = await someone()
      const { client } = createClient(server.url)
      const end = await walk(server.url, client, { provider: 'google', email: me.session.user.email! })
      const auth_code = secret(end.searchParams.get('code') ?? '')
      await mark()
      await post('/token?grant_type=pkce', { auth_code, code_verifier: 'x'.repeat(50) })
      return me.session.user.id
    },
    [['auth.sign_in_failed', 'verifier']],
  ],
  [
    'a sign-up by e-mail',
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
      ['auth.email_confirmed', id],
      ['auth.signed_in', id],
    ],
  ],
  [
    'a sign-in with a password',
    async () => {
      const me = await registered()
      await mark()
      await post('/token?grant_type=password', { email: me.email, password: me.password })
      return me.user.id
    },
    [['auth.signed_in', id]],
  ],
  [
    'a wrong password',
    async () => {
      const me = await registered()
      await mark()
      await post('/token?grant_type=password', { email: me.email, password: secret('a wild guess') })
      return me.user.id
    },
    [['auth.sign_in_failed', 'password']],
  ],
  [
    'the right password of a banned person',
    async () => {
      const me = await registered()
      await admin.updateUserById(me.user.id, { ban_duration: '1h' })
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
    async () => {
      const me = await registered()
      await mark()
      await post('/recover', { email: me.email })
      const { code } = await mailed(me.email, 2)
      await post('/verify', { type: 'recovery', email: me.email, token: code })
      return me.user.id
    },
    [
      ['auth.code_sent', 'recovery'],
      ['auth.signed_in', id],
    ],
  ],
  [
    'an address whose owner finds an unconfirmed registration by somebody else',
    async () => {
      const email = newEmail()
      const { body } = await post('/signup', { email, password: PASSWORD })
      await mark()
      await signIn(server.url, { provider: 'google', email })
      return body.id
    },
    [
      ['auth.unproven_cleared', id],
      ['auth.email_confirmed', id],
      ['auth.identity_linked', expect.stringMatching(/^google:/)],
      ['auth.signed_in', id],
    ],
  ],
  ...(['global', 'local', 'others'] as const).map(
    (scope): Event => [
      `a sign-out, ${scope}`,
      async () => {
        const me = await someone()
        await mark()
        await me.client.signOut({ scope })
        return me.session.user.id
      },
      [['auth.signed_out', id]],
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
    [['auth.refresh_token_reused', id]],
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
    [['auth.session_ended_by_reuse', id]],
  ],
  [
    'an authenticator, begun',
    async () => {
      const me = await someone()
      await mark()
      await begun(me)
      return me.session.user.id
    },
    [['auth.factor_enrolled', id]],
  ],
  [
    'an authenticator, verified',
    async () => {
      const me = await someone()
      const { id: factorId, base32 } = await begun(me)
      await mark()
      await me.client.mfa.challengeAndVerify({ factorId, code: await codeOf(base32) })
      return me.session.user.id
    },
    [['auth.factor_verified', id]],
  ],
  [
    'a wrong second factor',
    async () => {
      const me = await someone()
      const { id: factorId } = await enrolled(me)
      await mark()
      await me.client.mfa.challengeAndVerify({ factorId, code: '000000' })
      return me.session.user.id
    },
    [['auth.factor_refused', id]],
  ],
  [
    'a replayed second factor',
    async () => {
      const me = await someone()
      const { id: factorId, code } = await enrolled(me)
      await mark()
      await me.client.mfa.challengeAndVerify({ factorId, code })
      return me.session.user.id
    },
    [['auth.factor_refused', id]],
  ],
  [
    'an authenticator, removed',
    async () => {
      const me = await someone()
      const { id: factorId } = await enrolled(me)
      await mark()
      await me.client.mfa.unenroll({ factorId })
      return me.session.user.id
    },
    [['auth.factor_deleted', id]],
  ],
  [
    'a telephone as second factor',
    async () => {
      const me = await someone()
      const { data } = await me.client.mfa.enroll({ factorType: 'phone', phone: '+4915100000001', friendlyName: 'p' })
      await mark()
      const { data: challenge } = await me.client.mfa.challenge({ factorId: data!.id })
      await me.client.mfa.verify({ factorId: data!.id, challengeId: challenge!.id, code: secret(sms.lastCode()) })
      return me.session.user.id
    },
    [
      ['auth.code_sent', 'factor'],
      ['auth.factor_verified', id],
    ],
  ],
  [
    'a change of telephone number',
    async () => {
      const me = await someone()
      await mark()
      await me.client.updateUser({ phone: '+4915100000002' })
      await me.client.verifyOtp({ type: 'phone_change', phone: '+4915100000002', token: secret(sms.lastCode()) })
      return me.session.user.id
    },
    [
      ['auth.code_sent', 'phone_change'],
      ['auth.phone_changed', id],
      ['auth.signed_in', id],
    ],
  ],
  [
    'an account, connected',
    async () => {
      const me = await someone()
      const code = await linkGithub(me)
      await mark()
      await me.client.exchangeCodeForSession(code)
      return me.session.user.id
    },
    [
      ['auth.identity_linked', expect.stringMatching(/^github:/)],
      ['auth.signed_in', id],
    ],
  ],
  [
    'an account, disconnected',
    async () => {
      const me = await someone()
      await me.client.exchangeCodeForSession(await linkGithub(me))
      const { data } = await me.client.getUserIdentities()
      await mark()
      await me.client.unlinkIdentity(data!.identities.find(({ provider }) => provider === 'github')!)
      return me.session.user.id
    },
    [['auth.identity_unlinked', expect.stringMatching(/^github:/)]],
  ],
  [
    'a change of e-mail address',
    async () => {
      const me = await registered()
      const next = newEmail()
      await mark()
      await put({ email: next }, me.access_token)
      const [old, fresh] = [await mailed(me.email, 2), await mailed(next)]
      await post('/verify', { type: 'email_change', email: me.email, token: old.code })
      await post('/verify', { type: 'email_change', email: next, token: fresh.code })
      return me.user.id
    },
    [
      ['auth.email_change_requested', id],
      ['auth.email_change_agreed', 'current'],
      ['auth.email_changed', id],
      ['auth.signed_in', id],
    ],
  ],
  [
    'a change of password',
    async () => {
      const me = await registered()
      await mark()
      await put({ password: secret('battery staple') }, me.access_token)
      return me.user.id
    },
    [['auth.password_changed', id]],
  ],
  [
    'a change of password in an old session, with a wrong code and then with the mailed one',
    async () => {
      const me = await registered()
      await server.db.pool.query(
        `update auth.sessions set created_at = created_at - interval '25 hours' where id = $1`,
        [sessionOf(me.access_token)],
      )
      await mark()
      await call(server, 'GET', '/reauthenticate', { token: me.access_token })
      await put({ password: secret('battery staple'), nonce: 'abcdef' }, me.access_token)
      const { code } = await mailed(me.email, 2)
      await put({ password: secret('battery staple'), nonce: code }, me.access_token)
      return me.user.id
    },
    [
      ['auth.code_sent', 'reauthentication'],
      ['auth.code_refused', 'reauthentication'],
      ['auth.password_changed', id],
    ],
  ],
  [
    'a change of what the person says of themselves',
    async () => {
      const me = await registered()
      await mark()
      await put({ data: { team: 'blue' } }, me.access_token)
      return me.user.id
    },
    [['auth.metadata_changed', id]],
  ],
  [
    'a person made by the operator',
    async () => {
      await mark()
      const { data } = await admin.createUser({ email: newEmail(), password: PASSWORD, email_confirm: true })
      return data.user!.id
    },
    [
      ['auth.signed_up', 'email'],
      ['auth.email_confirmed', id],
      ['auth.user_changed_by_admin', id],
    ],
  ],
  [
    'a person changed by the operator',
    async () => {
      const me = await registered()
      await mark()
      await admin.updateUserById(me.user.id, { password: secret('set by hand'), ban_duration: '1h' })
      return me.user.id
    },
    [['auth.user_changed_by_admin', id]],
  ],
  [
    'a person deleted by the operator',
    async () => {
      const me = await registered()
      await mark()
      await admin.deleteUser(me.user.id)
      return me.user.id
    },
    [['auth.user_deleted_by_admin', id]],
  ],
  [
    'an invitation by the operator',
    async () => {
      await mark()
      const { data } = await admin.inviteUserByEmail(newEmail())
      return data.user!.id
    },
    [
      ['auth.signed_up', 'email'],
      ['auth.code_sent', 'invite'],
    ],
  ],
  [
    'a link made by the operator',
    async () => {
      const me = await registered()
      await mark()
      const { data } = await admin.generateLink({ type: 'recovery', email: me.email })
      secret(data.properties?.email_otp)
      secret(data.properties?.hashed_token)
      return me.user.id
    },
    [['auth.link_made_by_admin', 'recovery']],
  ],
  [
    'a factor removed by the operator',
    async () => {
      const me = await someone()
      const factor = await enrolled(me)
      await mark()
      await admin.mfa.deleteFactor({ userId: me.session.user.id, id: factor.id })
      return me.session.user.id
    },
    [['auth.factor_deleted_by_admin', id]],
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
    await admin.updateUserById(me.user.id, { ban_duration: '1h' })
    await post('/token?grant_type=password', { email: me.email, password: me.password })
    const [out, , refused] = await written()
    expect(out).toMatchObject({ target: sessionOf(again.body.access_token), detail: { scope: 'others' } })
    expect(refused.detail).toEqual({ because: 'user_banned', ip: expect.stringMatching(/127\.0\.0\.1$/) })
  })

  it('tells of keys that are added and withdrawn', async () => {
    await mark()
    const kid = await rotateSigningKey(server.db, createSecrets('ab'.repeat(32)))
    await retireSigningKey(server.db, kid)
    expect(await written()).toEqual([
      { actor: 'system:operator', action: 'auth.signing_key_added', target: kid, detail: {} },
      { actor: 'system:operator', action: 'auth.signing_key_retired', target: kid, detail: {} },
    ])
  })

  it('holds no password, code, token or key of all this', async () => {
    const { rows } = await server.db.pool.query('select * from audit_log')
    expect(rows.length).toBeGreaterThan(100)
    const log = JSON.stringify(rows)
    expect(secrets.size).toBeGreaterThan(80)
    // Six digits occur in ids by chance.
    const words = new Set(log.split(/[^\w.-]+/))
    for (const text of secrets) expect(/^\d{6}$/.test(text) ? words.has(text) : log.includes(text), text).toBe(false)
  })
})
