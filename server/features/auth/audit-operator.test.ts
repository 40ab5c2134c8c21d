import { describe, expect, it } from 'vitest'
import { createSecrets } from '../../secrets/secrets.ts'
import { auditScene, type Event, PASSWORD, uuid } from './testing/audit-scene.ts'
import { call } from './testing/call.ts'
import { newEmail } from './testing/register.ts'
import { retireSigningKey, rotateSigningKey } from './tokens/signing-keys.ts'

const scene = await auditScene()
const { written, secret, mark, registered, after, enrolling } = scene

const events: Event[] = [
  [
    'a person made by the operator',
    async () => {
      await mark()
      const { data } = await scene.admin.createUser({ email: newEmail(), password: PASSWORD, email_confirm: true })
      return data.user!.id
    },
    [
      ['auth.signed_up', 'email'],
      ['auth.email_confirmed', uuid],
      ['auth.user_changed_by_admin', uuid],
    ],
  ],
  [
    'a person changed by the operator',
    after(registered, (me) =>
      scene.admin.updateUserById(me.user.id, { password: secret('set by hand'), ban_duration: '1h' }),
    ),
    [['auth.user_changed_by_admin', uuid]],
  ],
  [
    'a person deleted by the operator',
    after(registered, (me) => scene.admin.deleteUser(me.user.id)),
    [['auth.user_deleted_by_admin', uuid]],
  ],
  [
    'an invitation by the operator',
    async () => {
      await mark()
      const { data } = await scene.admin.inviteUserByEmail(newEmail())
      return data.user!.id
    },
    [
      ['auth.signed_up', 'email'],
      ['auth.code_sent', 'invite'],
    ],
  ],
  [
    'a link made by the operator',
    after(registered, async (me) => {
      const { data } = await scene.admin.generateLink({ type: 'recovery', email: me.email })
      secret(data.properties?.email_otp)
      secret(data.properties?.hashed_token)
    }),
    [['auth.link_made_by_admin', 'recovery']],
  ],
  [
    'a factor removed by the operator',
    after(enrolling, ({ session, factor }) => scene.admin.mfa.deleteFactor({ userId: session.user.id, id: factor.id })),
    [['auth.factor_deleted_by_admin', uuid]],
  ],
]

describe('the audit log', () => {
  it.each(events)('tells of %s', async (_name, act, rows) => {
    const person = await act()
    const found = await written()
    expect(found.map(({ action, target }) => [action, target])).toEqual(rows)
    expect(found.map(({ actor, subject }) => [actor, subject])).toEqual(rows.map(() => ['system:service_key', person]))
  })

  it('names the person who acted by their role, and nobody in what people do to themselves', async () => {
    const helper = await registered()
    await scene.admin.updateUserById(helper.user.id, { role: 'supabase_admin' })
    const me = await registered()
    const { body } = await scene.post('/token?grant_type=refresh_token', { refresh_token: helper.refresh_token })
    secret(body.access_token)
    secret(body.refresh_token)
    await mark()
    await call(scene.server, 'PUT', `/admin/users/${me.user.id}`, { body: { role: 'x' }, token: body.access_token })
    await scene.put({ data: { mine: true } }, me.access_token)
    expect((await written()).map(({ actor, subject, action }) => [actor, subject, action])).toEqual([
      [`user:${helper.user.id}`, me.user.id, 'auth.user_changed_by_admin'],
      [`user:${me.user.id}`, null, 'auth.metadata_changed'],
    ])
  })

  it('tells of keys that are added and withdrawn', async () => {
    await mark()
    const kid = await rotateSigningKey(scene.server.db, createSecrets('ab'.repeat(32)))
    await retireSigningKey(scene.server.db, kid)
    expect(await written()).toEqual([
      { actor: 'system:operator', subject: null, action: 'auth.signing_key_added', target: kid, detail: {} },
      { actor: 'system:operator', subject: null, action: 'auth.signing_key_retired', target: kid, detail: {} },
    ])
  })

  it('holds no password, code, token or key of all this', async () => {
    expect(scene.secrets.size).toBeGreaterThan(10)
    expect(await scene.leaked()).toEqual([])
  })
})
