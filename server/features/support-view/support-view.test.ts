import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { routes } from '#contract/routes.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { runAdmin } from '#server/testing/run-admin.ts'
import { call, joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { buyCredits } from '../billing/testing/billing.ts'
import { openConsole } from '../operator/testing/console.ts'
import { endOverViews } from './end-view.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on', KEYS_REVEAL: 'always' } }))
const support = await openConsole(server, 'support')
const rows = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows

interface View {
  person: TestSession
  /** Of the account. */
  id: string
  token: string
  expiresAt: string
  get: (path: string, method?: string, headers?: Record<string, string>) => ReturnType<typeof call>
}

/** A customer with a key, viewed by support. */
async function viewed(by = support): Promise<View> {
  const person = await startSession(server)
  const { workspace } = (await person.call('GET', '/api/auth/profile')).body.data
  await person.call('POST', '/api/billing/subscribe-free-plan')
  const { status, body } = await by.act(`/customers/${workspace.id}/views`)
  expect(status).toBe(200)
  const { token, expires_at } = body.data
  return {
    person,
    id: workspace.id,
    token,
    expiresAt: expires_at,
    get: (path, method = 'GET', headers = {}) =>
      call(server, method, path, { headers: { authorization: `Bearer ${token}`, ...headers } }),
  }
}
const auditOf = async (id: string) =>
  (
    await rows(
      `select l.action from audit_log l join accounts a on a.id = l.account_id
       where a.public_id = $1 and l.action like 'account.view%' order by l.id`,
      [id],
    )
  ).map(({ action }) => action)

/** Every route of the product API for signed-in people that a view reads. */
const readable = [
  '/api/auth/profile',
  '/api/workspaces',
  '/api/audit',
  '/api/team',
  '/api/account/deletion',
  '/api/keys',
  '/api/keys/{id}',
  '/api/keys/{id}/analytics',
  '/api/usage',
  '/api/usage/tools',
  '/api/usage/receipts',
  '/api/usage/receipts/{id}',
  '/api/billing/plans',
  '/api/billing/plans/{id}',
  '/api/billing/subscription',
  '/api/billing/preferences',
  '/api/billing/credits',
  '/api/billing/credits/history',
  '/api/billing/credits/topup',
  '/billing/invoices',
]

test('reads what is listed, and nothing else: no write path, no secret, no export, no playground', async () => {
  const { get } = await viewed()
  const session = Object.values(routes).filter(({ auth }) => auth === 'session')
  expect(session.filter(({ method }) => method === 'GET').length).toBeGreaterThan(readable.length)
  const read: string[] = []
  for (const { method, path } of session) {
    const answer = await get(path.replaceAll(/\{\w+\}/g, randomUUID()), method)
    if (answer.status !== 403) read.push(`${method} ${path}`)
    else
      expect(answer.body.error).toBe(
        'A view of a customer is read-only and shows no secrets, exports or second factors.',
      )
  }
  expect(read.toSorted()).toEqual(readable.map((path) => `GET ${path}`).toSorted())
})

test('shows the customer, whose key stays masked, and writes nothing of its own in their log', async () => {
  const { get, person, id } = await viewed()
  const profile = (await get('/api/auth/profile')).body.data
  expect([profile.user.email, profile.workspace.id]).toEqual([person.email, id])
  const { apiKeys } = (await get('/api/keys')).body.data
  expect(apiKeys.map(({ apiKey }: { apiKey: string }) => apiKey)).toEqual([expect.stringMatching(/^fm_\w+\.\.\.$/)])
  expect((await get(`/api/keys/${apiKeys[0].id}`)).text).not.toMatch(/fm_\w{20}/)
  expect(await rows(`select from audit_log where action like 'key.%ed' and action <> 'key.created'`)).toEqual([])
})

test('shows invoices without the signed links to their files, which would outlive it', async () => {
  const { get, person } = await viewed()
  await buyCredits(server, person, 1)
  const [own] = (await person.call('GET', '/billing/invoices')).body.data
  expect(own.invoice_pdf).toContain('signature=')
  expect((await get('/billing/invoices')).body.data).toEqual([{ ...own, invoice_pdf: null, receipt: null }])
})

test('names no other workspace of the person, and has no address at which they confirm a payment', async () => {
  const { get, person, id } = await viewed()
  const { person: host } = await viewed()
  await joinWorkspace(server, host, person, 'member')
  const of = (answer: { body: { data: { workspaces: { id: string }[] } } }) => answer.body.data.workspaces
  expect(of(await person.call('GET', '/api/workspaces'))).toHaveLength(2)
  expect(of(await get('/api/workspaces')).map((one) => one.id)).toEqual([id])
  await rows(
    `with a as (select id from accounts where public_id = $1),
      rule as (insert into auto_topups (account_id, enabled, threshold, packs, suspended_reason)
        select id, true, 10, 1, 'authentication_required' from a)
     insert into topups (account_id, origin, cents, credits, phase, action_url)
     select id, 'auto', 200, 10000, 'action', 'https://pay.example.com/x' from a`,
    [id],
  )
  const own = (await person.call('GET', '/api/billing/credits/topup')).body.data.autoTopup
  expect(own.actionUrl).toBe('https://pay.example.com/x')
  expect((await get('/api/billing/credits/topup')).body.data.autoTopup).toEqual({ ...own, actionUrl: null })
})

test('is of one account, and opens neither the console, nor sign-in, nor the Data API', async () => {
  const { get, token } = await viewed()
  const other = await viewed()
  expect((await get('/api/keys', 'GET', { 'x-workspace-id': other.id })).status).toBe(404)
  for (const [path, status] of [
    ['/auth/v1/user', 403],
    ['/api/playground/stream', 401],
    ['/v1/bars/AAPL', 401],
  ] as const)
    expect([path, (await get(path)).status]).toEqual([path, status])
  expect((await get('/operator/session', 'POST')).status).toBe(404)
  expect((await get('/auth/v1/factors', 'POST')).status).toBe(403)
  const stream = await call(server, 'GET', `/api/playground/stream?access_token=${token}`)
  expect(stream.status).toBe(401)
})

test('ends after fifteen minutes, with its end in the log, and there is nothing to renew it', async () => {
  const { get, id, token, expiresAt } = await viewed()
  const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000
  expect(Math.round(minutes)).toBe(15)
  const age = (interval: string) =>
    rows(
      `update support_views set expires_at = expires_at - $1::interval
       where account_id = (select id from accounts where public_id = $2)`,
      [interval, id],
    )
  await age('14 minutes 30 seconds')
  expect((await get('/api/keys')).status).toBe(200)
  await age('30 seconds')
  const late = await get('/api/keys')
  expect([late.status, late.body.error]).toEqual([401, 'This view of a customer has ended.'])
  expect(await auditOf(id)).toEqual(['account.viewed_by_support'])
  await endOverViews(server.db)
  await endOverViews(server.db)
  expect(await auditOf(id)).toEqual(['account.viewed_by_support', 'account.view_ended'])
  expect(JSON.stringify(await rows('select * from support_views'))).not.toContain(token)
})

test('ends at once when the operator says so, is demoted, or removed', async () => {
  const said = await viewed()
  const end = () => said.get('/api/support-view/end', 'POST')
  expect([(await end()).status, (await end()).status]).toEqual([200, 200])
  expect((await said.get('/api/keys')).status).toBe(401)
  expect(await auditOf(said.id)).toEqual(['account.viewed_by_support', 'account.view_ended'])
  for (const change of [
    `update operators set role = 'finance' where email = $1`,
    'delete from operators where email = $1',
  ]) {
    const leaver = await openConsole(server, 'support')
    const { get } = await viewed(leaver)
    expect((await get('/api/keys')).status).toBe(200)
    await rows(change, [leaver.email])
    expect((await get('/api/keys')).status).toBe(401)
  }
})

test("ends with the console's session, whether they leave it or sign out; entering anew keeps it", async () => {
  const again = await openConsole(server, 'support')
  const kept = await viewed(again)
  const entered = await again.person.call('POST', '/operator/session', { headers: { cookie: again.cookie } })
  expect(entered.status).toBe(200)
  expect((await again.call('GET', '/session')).status).toBe(404)
  expect((await kept.get('/api/keys')).status).toBe(200)
  for (const leave of [
    (of: typeof support) => of.call('DELETE', '/session'),
    async (of: typeof support) => {
      await rows('delete from auth.sessions where user_id = (select user_id from operators where email = $1)', [
        of.email,
      ])
    },
  ]) {
    const leaver = await openConsole(server, 'support')
    const { get, id } = await viewed(leaver)
    expect((await get('/api/keys')).status).toBe(200)
    await leave(leaver)
    expect((await get('/api/keys')).status).toBe(401)
    await rows('delete from operator_sessions where operator_id = (select id from operators where email = $1)', [
      leaver.email,
    ])
    await endOverViews(server.db)
    expect(await auditOf(id)).toEqual(['account.viewed_by_support', 'account.view_ended'])
  }
})

test('is in the log of operators with its reason, and one mail tells the owner', async () => {
  const { id, person } = await viewed()
  const { entries } = (await support.call('GET', `/log?account=${id}`)).body.data
  expect(entries).toMatchObject([
    { operator: support.email, action: 'view.started', reason: 'Asked for by the customer' },
  ])
  const subjects = () => server.mailbox!.list(person.email).map(({ subject }) => subject)
  await expect.poll(subjects).toEqual(['Support is viewing your account'])
})

test('is never of an operator, of an account that is being deleted, or twice for one act', async () => {
  const of = async (person: TestSession) =>
    support.act(`/customers/${(await person.call('GET', '/api/auth/profile')).body.data.workspace.id}/views`)
  const operator = await openConsole(server, 'viewer')
  const refused = await of(operator.person)
  expect([refused.status, refused.body.error]).toEqual([
    409,
    "This account belongs to an operator. Operators' dashboards cannot be viewed.",
  ])
  const leaving = await startSession(server)
  await leaving.call('GET', '/api/auth/profile')
  await leaving.call('POST', '/api/account/deletion', { body: { confirmation: 'delete my account' } })
  expect((await of(leaving)).status).toBe(409)
  const { id } = await viewed()
  const act = randomUUID()
  expect((await support.act(`/customers/${id}/views`, {}, act)).status).toBe(200)
  const again = await support.act(`/customers/${id}/views`, {}, act)
  expect([again.status, again.body.error]).toEqual([409, 'This view has already been started. Start another one.'])
})

test('from the command line, it is the view of the operator who is named, and ends with their role', async () => {
  const person = await startSession(server, { email: 'seen@example.com' })
  const { workspace } = (await person.call('GET', '/api/auth/profile')).body.data
  const named = await openConsole(server, 'support')
  const view = (operator: string) =>
    runAdmin(server.databaseUrl, ['view', person.email, operator, '--reason', 'They do not find it'], { SANDBOX: 'on' })
  const { code, out, err } = await view(named.email)
  expect([code, err]).toEqual([0, ''])
  const link = /^The dashboard, read-only, for 15 minutes\. .*\n(\S+\/auth\/enter#view=(\S+))\n$/.exec(out)!
  const opened = JSON.parse(decodeURIComponent(link[2]!))
  expect(opened).toMatchObject({ userId: person.userId, email: 'seen@example.com', accountId: workspace.id, back: '/' })
  const headers = { authorization: `Bearer ${opened.token}` }
  expect((await call(server, 'GET', '/api/keys', { headers })).status).toBe(200)
  expect((await call(server, 'POST', '/api/keys', { headers, body: { name: 'Mine' } })).status).toBe(403)
  expect(
    await rows('select operator, action, target, reason from operator_log where account_id = $1', [workspace.id]),
  ).toEqual([{ operator: 'command line', action: 'view.started', target: named.email, reason: 'They do not find it' }])
  await rows(`update operators set role = 'viewer' where email = $1`, [named.email])
  expect((await call(server, 'GET', '/api/keys', { headers })).status).toBe(401)
  expect((await view(named.email)).err).toBe(`No operator with the role owner or support is ${named.email}.\n`)
})
