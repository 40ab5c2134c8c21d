import { describe, expect, it } from 'vitest'
import { auditScene, type Event, sessionOf, uuid } from './testing/audit-scene.ts'
import { call } from './testing/call.ts'
import { newEmail } from './testing/register.ts'

const scene = await auditScene()
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
  mailed,
  linkedCode,
  lastSms,
  after,
  beginning,
  enrolling,
} = scene

const events: Event[] = [
  ['an authenticator, started', after(someone, (me) => beginEnrollment(me)), [['auth.factor_enrolled', uuid]]],
  [
    'an authenticator, verified',
    after(beginning, async ({ client, factor }) =>
      client.mfa.challengeAndVerify({ factorId: factor.id, code: await codeOf(factor.base32) }),
    ),
    [['auth.factor_verified', uuid]],
  ],
  [
    'a wrong second factor',
    after(enrolling, ({ client, factor }) => client.mfa.challengeAndVerify({ factorId: factor.id, code: '000000' })),
    [['auth.factor_refused', uuid]],
  ],
  [
    'a replayed second factor',
    after(enrolling, ({ client, factor: { id: factorId, code } }) => client.mfa.challengeAndVerify({ factorId, code })),
    [['auth.factor_refused', uuid]],
  ],
  [
    'an authenticator, removed',
    after(enrolling, ({ client, factor }) => client.mfa.unenroll({ factorId: factor.id })),
    [['auth.factor_deleted', uuid]],
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
      ['auth.factor_verified', uuid],
    ],
  ],
  [
    'a change of telephone number',
    after(someone, async (me) => {
      await me.client.updateUser({ phone: '+4915100000002' })
      await me.client.verifyOtp({ type: 'phone_change', phone: '+4915100000002', token: lastSms() })
    }),
    [
      ['auth.code_sent', 'phone_change'],
      ['auth.phone_changed', uuid],
      ['auth.signed_in', uuid],
    ],
  ],
  [
    'an account, connected',
    async () => {
      const me = await someone()
      const code = await linkedCode(me)
      await mark()
      await me.client.exchangeCodeForSession(code)
      return me.session.user.id
    },
    [
      ['auth.identity_linked', expect.stringMatching(/^github:/)],
      ['auth.signed_in', uuid],
    ],
  ],
  [
    'an account, disconnected',
    async () => {
      const me = await someone()
      await me.client.exchangeCodeForSession(await linkedCode(me))
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
      ['auth.email_change_requested', uuid],
      ['auth.email_change_agreed', 'current'],
      ['auth.email_changed', uuid],
      ['auth.signed_in', uuid],
    ],
  ],
  [
    'a change of password',
    after(registered, (me) => put({ password: secret('battery staple') }, me.access_token)),
    [['auth.password_changed', uuid]],
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
      ['auth.password_changed', uuid],
    ],
  ],
  [
    'a change of what the person says of themselves',
    after(registered, (me) => put({ data: { team: 'blue' } }, me.access_token)),
    [['auth.metadata_changed', uuid]],
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
