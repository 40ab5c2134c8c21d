import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openConsole } from '../features/operator/testing/console.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { startTestServer } from '../testing/harness.ts'
import { runAdmin } from '../testing/run-admin.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const operator = (...words: string[]) => runAdmin(server.databaseUrl, ['operator', ...words])
const rows = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows
const log = () => rows(`select operator, action, target, reason, before, after from operator_log order by id`)

test('the first owner is made here, changed and removed, but never the last one, and all of it is in the log', async () => {
  expect((await operator()).out).toBe('There are no operators. npm run admin -- operator add <email> adds the first.\n')
  expect(await operator('add', 'Ada@Example.com', '--reason', 'runs it')).toEqual({
    code: 0,
    out: expect.stringMatching(
      /^ada@example\.com is an operator with the role owner\.\nThey open this link once, within 7 days, and sign in with that address: http:\/\/\S+\/login\?next=\/operator#[\w-]{43}\n$/,
    ),
    err: '',
  })
  await operator('add', 'bob@example.com', '--role', 'support')
  await operator('add', 'bob@example.com', '--role', 'viewer')
  expect((await operator('list')).out).toMatch(
    /^ada@example\.com {2}owner {2}added \S+Z by command line {2}has not entered yet\nbob@example\.com {2}viewer {2}added /,
  )
  expect(await operator('remove', 'ada@example.com')).toEqual({
    code: 1,
    out: '',
    err: 'The last owner cannot be removed. Make another operator an owner first.\n',
  })
  expect((await operator('remove', 'BOB@example.com')).out).toBe(
    'bob@example.com is no operator any more; their open pages stop working.\n',
  )
  const none = 'From the command line, without a reason'
  const [ada, bob] = ['ada@example.com', 'bob@example.com']
  const by = { operator: 'command line', action: 'operator.set' }
  expect(await log()).toEqual([
    { ...by, target: ada, reason: 'runs it', before: null, after: { role: 'owner' } },
    { ...by, target: bob, reason: none, before: null, after: { role: 'support' } },
    { ...by, target: bob, reason: none, before: { role: 'support' }, after: { role: 'viewer' } },
    {
      ...by,
      action: 'operator.removed',
      target: bob,
      reason: none,
      before: { email: bob, role: 'viewer' },
      after: null,
    },
  ])
})

test('an owner who lost the factor gets in again', async () => {
  const { email, person, call } = await openConsole(server, 'owner')
  for (const type of ['totp', 'webauthn'])
    await rows(
      `insert into auth.mfa_factors (id, user_id, factor_type, friendly_name, status) values ($1, $2, $3, $3, 'verified')`,
      [randomUUID(), person.userId, type],
    )
  expect((await operator('forget-factor', email)).out).toBe(
    '2 second factors are deleted, and the person is signed out of the console. They add a new one after signing in.\n',
  )
  expect(await rows('select from auth.mfa_factors')).toEqual([])
  expect((await call('GET', '/session')).status).toBe(404)
  expect((await log()).at(-1)).toMatchObject({
    action: 'operator.factor_forgotten',
    target: email,
    before: { factors: expect.arrayContaining(['totp', 'webauthn']) },
  })
  expect(
    await rows(`select actor from audit_log where action = 'auth.factor_deleted_by_admin' and subject = $1`, [
      person.userId,
    ]),
  ).toEqual([{ actor: 'system:operator' }, { actor: 'system:operator' }])
  expect((await operator('forget-factor', email)).out).toBe('This person has no second factor.\n')
})

test.each([
  [['add'], 2, 'npm run admin -- operator [list'],
  [['add', 'ada'], 2, 'npm run admin -- operator [list'],
  [['dance', 'ada@example.com'], 2, 'npm run admin -- operator [list'],
  [['remove', 'a@example.com', 'b@example.com'], 2, 'npm run admin -- operator [list'],
  [['remove', 'a@example.com', '--role', 'owner'], 2, 'npm run admin -- operator [list'],
  [
    ['add', 'ada@example.com', '--role', 'king'],
    1,
    '--role: must be one of owner, support, finance, viewer, not king.',
  ],
  [['remove', 'nobody@example.com'], 1, 'There is no operator nobody@example.com.'],
  [['forget-factor', 'nobody@example.com'], 1, 'There is no operator nobody@example.com.'],
  [['forget-factor', 'ada@example.com'], 1, 'ada@example.com has not opened the console yet'],
])('%j says what is wrong', async (words, code, message) => {
  const ended = await operator(...words)
  expect([ended.code, ended.out]).toEqual([code, ''])
  expect(ended.err).toContain(message)
})
