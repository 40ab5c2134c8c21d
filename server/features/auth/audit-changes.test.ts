import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditScene, type Event, sessionOf } from './testing/audit-scene.ts'
import { call } from './testing/call.ts'
import { newEmail } from './testing/register.ts'

const scene = auditScene()
const {
  written,
  secret,
  mark,
  post,
  put,
  someone,
  registered,
  codeOf,
  beginEnrollment,
  enrolled,
  mailed,
  linkGithub,
  lastSms,
} = scene

beforeAll(() => scene.start())
afterAll(() => scene.close())

const id = expect.stringMatching(/^[0-9a-f-]{36}$/)

const events: Event[] = [
  [
    'an authenticator, started',
    async () => {
      const me = await someone()
      await mark()
      await beginEnrollment(me)
      return me.session.user.id
    },
    [['auth.factor_enrolled', id]],
  ],
  [
    'an authenticator, verified',
    async () => {
      const me = await someone()
      const { id: factorId, base32 } = await beginEnrollment(me)
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
      await me.client.mfa.verify({ factorId: data!.id, challengeId: challenge!.id, code: lastSms() })
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
      await me.client.verifyOtp({ type: 'phone_change', phone: '+4915100000002', token: lastSms() })
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
    'a change of email address',
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
      await scene.server.db.pool.query(
        `update auth.sessions set created_at = created_at - interval '25 hours' where id = $1`,
        [sessionOf(me.access_token)],
      )
      await mark()
      await call(scene.server, 'GET', '/reauthenticate', { token: me.access_token })
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
]

describe('the audit log', () => {
  it.each(events)('tells of %s', async (_name, act, rows) => {
    const person = await act()
    const found = await written()
    expect(found.map(({ action, target }) => [action, target])).toEqual(rows)
    expect(new Set(found.map(({ actor }) => actor))).toEqual(new Set([`user:${person}`]))
  })

  it('holds no password, code, token or key of all this', async () => {
    expect(scene.secrets.size).toBeGreaterThan(10)
    expect(await scene.leaked()).toEqual([])
  })
})
