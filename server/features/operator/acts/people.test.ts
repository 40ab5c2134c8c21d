import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { buyPlan, plansByName } from '../../billing/testing/billing.ts'
import { erasePeople } from '../../deletion/erase-people.ts'
import { buildExports } from '../../export/build-exports.ts'
import { openConsole } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const support = await openConsole(server, 'support')
const owner = await openConsole(server, 'owner')
const rows = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows
const subjects = (email: string) => server.mailbox!.list(email).map(({ subject }) => subject)

async function newCustomer(): Promise<{ person: TestSession; id: string; path: string }> {
  const person = await startSession(server)
  const { id } = (await person.call('GET', '/api/auth/profile')).body.data.workspace
  return { person, id, path: `/customers/${id}` }
}
const actions = async (id: string) =>
  (await owner.call('GET', `/log?account=${id}`)).body.data.entries.map(({ action }: { action: string }) => action)

test('an invitation is mailed again with a new link, in the name of the person who invited, once a minute', async () => {
  const { person, id, path } = await newCustomer()
  const email = `${randomUUID().slice(0, 8)}@example.com`
  const invited = await person.call('POST', '/api/team/invitations', { body: { email, role: 'member' } })
  const invitation: string = invited.body.data.invitation.id
  await expect.poll(() => subjects(email)).toHaveLength(1)
  const resend = () => support.act(`${path}/invitations/${invitation}/resend`)
  const early = await resend()
  expect([early.status, early.body.error]).toEqual([
    429,
    'This invitation was sent less than a minute ago. Wait a minute.',
  ])
  await rows(`update account_invitations set sent_at = sent_at - interval '61 seconds' where public_id = $1`, [
    invitation,
  ])
  expect((await resend()).status).toBe(200)
  await expect.poll(() => subjects(email)).toHaveLength(2)
  const [second, first] = server.mailbox!.list(email).map(({ text }) => /invitation#\S+/.exec(text)![0])
  expect(second).not.toBe(first)
  expect(server.mailbox!.list(email)[0]!.text).toContain(`${person.email} invites you`)
  expect(await actions(id)).toEqual(['invitation.sent'])
  const other = await newCustomer()
  expect((await support.act(`${other.path}/invitations/${invitation}/resend`)).status).toBe(404)
})

test('a member who has not confirmed the address gets a new code, once a minute', async () => {
  const { person, id, path } = await newCustomer()
  await rows('update auth.users set email = $2 where id = $1', [person.userId, person.email])
  expect((await support.call('GET', `${path}/acts`)).body.data.members).toEqual([
    { user_id: person.userId, email: person.email, role: 'owner', confirmed: false },
  ])
  const resend = () => support.act(`${path}/members/${person.userId}/verification`)
  expect((await resend()).status).toBe(200)
  await expect.poll(() => subjects(person.email)).toEqual(['Confirm your email address'])
  expect((await resend()).status).toBe(429)
  await rows('update auth.users set email_confirmed_at = app_now(), confirmation_sent_at = null where id = $1', [
    person.userId,
  ])
  const done = await resend()
  expect([done.status, done.body.error]).toEqual([409, `${person.email} is already confirmed.`])
  expect(await actions(id)).toEqual(['verification.sent'])
  const stranger = await newCustomer()
  expect((await support.act(`${path}/members/${stranger.person.userId}/verification`)).status).toBe(404)
})

test('an export is built for the owner, who alone gets it', async () => {
  const { person, path, id } = await newCustomer()
  await support.act(`${path}/notes`, { note: 'Asked for an export' })
  const started = await owner.act(`${path}/export`)
  expect([started.status, started.body.data]).toEqual([200, { done: true }])
  const again = await owner.act(`${path}/export`)
  expect(again.status).toBe(409)
  await buildExports(server.deps)
  await expect.poll(() => subjects(person.email)).toEqual(['Your data export is ready'])
  const { exports } = (await person.call('GET', '/api/account/exports')).body.data
  expect(exports).toMatchObject([{ status: 'ready', download_url: expect.stringContaining('/file?') }])
  expect(await actions(id)).toEqual(['export.started', 'note.added'])
  expect((await rows(`select actor from audit_log where action = 'account.export_requested'`)) as unknown).toEqual([
    { actor: 'system:operator' },
  ])
})

test('a deletion ends plans at once, is told by mail, and is asked for with the address of the owner', async () => {
  const { person, path, id } = await newCustomer()
  await buyPlan(server, person, (await plansByName(person)).Pro)
  await support.act(`${path}/notes`, { note: 'Wants to leave' })
  const wrong = await owner.act(`${path}/delete`, { owner_email: 'somebody@example.com' })
  expect([wrong.status, wrong.body.error]).toEqual([400, 'owner_email: enter the email address of the owner'])
  const act = randomUUID()
  const press = () => owner.act(`${path}/delete`, { owner_email: person.email.toUpperCase() }, act)
  const pressed = await Promise.all([press(), press()])
  expect(pressed.map(({ status }) => status)).toEqual([200, 200])
  expect((await person.call('GET', '/api/account/deletion')).body.data.deletion).not.toBeNull()
  expect(
    await rows(`select status from subscriptions where account_id = (select id from accounts where public_id = $1)`, [
      id,
    ]),
  ).toEqual([{ status: 'canceled' }])
  await expect.poll(() => subjects(person.email)).toContain('Your account will be deleted')
  expect(await actions(id)).toEqual(['account.deletion_requested', 'note.added'])
  const second = await owner.act(`${path}/delete`, { owner_email: person.email })
  expect([second.status, second.body.error]).toEqual([409, expect.stringContaining('This account is being deleted')])
  await rows('update profiles set deletion_due_at = app_now() where user_id = $1', [person.userId])
  expect(await erasePeople(server.deps)).toBe(1)
  expect(
    await rows('select note from account_notes where account_id = (select id from accounts where public_id = $1)', [
      id,
    ]),
  ).toEqual([])
  const late = await owner.act(`${path}/grants`, { credits: 1 })
  expect([late.status, late.body.error]).toEqual([
    409,
    'This account was deleted. Only its invoices can still be refunded.',
  ])
  const [invoice] = (await owner.call('GET', `${path}/refunds`)).body.data.invoices
  const { status } = await owner.act(`${path}/refunds`, { invoice: invoice.id, cents: 100, keeps_credits: 1_000_000 })
  expect(status).toBe(200)
})

test('a customer whose workspace has other members is not deleted', async () => {
  const { person, path, id } = await newCustomer()
  await joinWorkspace(server, person, await startSession(server), 'member')
  const { status, body } = await owner.act(`${path}/delete`, { owner_email: person.email })
  expect([status, body.error]).toEqual([
    409,
    'The workspace Personal has other members. Transfer it to one of them, or remove them first.',
  ])
  expect(await actions(id)).toEqual([])
})
