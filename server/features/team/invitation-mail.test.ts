import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

const server = await closeAfterTests(startTestServer())

const address = () => `${randomUUID().slice(0, 8)}@example.com`

test('an invitation mails an address three times a day, no matter who invites it and what became of the invitations', async () => {
  const email = address()
  const statuses: number[] = []
  for (let n = 0; n < 4; n++) {
    const inviter = await startSession(server)
    const answer = await inviter.call('POST', '/api/team/invitations', { body: { email } })
    statuses.push(answer.status)
    if (answer.status !== 201) {
      expect([answer.body, Number(answer.headers.get('retry-after'))]).toEqual([
        { success: false, error: 'Too many invitations. Try again in 24 hours.', code: 'rate_limited' },
        expect.closeTo(86_400, -3),
      ])
      // What was refused is not kept, so that it can be sent when the day is over.
      expect((await inviter.call('GET', '/api/team')).body.data.invitations).toEqual([])
      continue
    }
    await inviter.call('DELETE', `/api/team/invitations/${answer.body.data.invitation.id}`)
  }
  expect(statuses).toEqual([201, 201, 201, 429])
  await vi.waitUntil(() => server.mailbox!.list(email).length === 3, { timeout: 120_000 })
})

test('other spellings of a mailbox do not make room for another mail', async () => {
  const name = randomUUID().slice(0, 8)
  const statuses: number[] = []
  for (let n = 0; n < 4; n++) {
    const email = `${name}+${n}@example.com`
    statuses.push(
      (await (await startSession(server)).call('POST', '/api/team/invitations', { body: { email } })).status,
    )
  }
  expect(statuses).toEqual([201, 201, 201, 429])
})

test('an invitation and its revocation do not make room for another mail: 50 a day for who invites', async () => {
  const inviter = await startSession(server)
  const statuses: number[] = []
  for (let n = 0; n < 51; n++) {
    const answer = await inviter.call('POST', '/api/team/invitations', { body: { email: address() } })
    statuses.push(answer.status)
    if (answer.status === 201) await inviter.call('DELETE', `/api/team/invitations/${answer.body.data.invitation.id}`)
  }
  expect([statuses.indexOf(429), statuses.at(-1)]).toEqual([50, 429])
})

test.each([
  ['Ada Lovelace', 'Ada Lovelace invites you to the workspace Personal as a member.'],
  ['WIN at https://evil.example/now', '@example.com invites you to the workspace Personal as a member.'],
  ['evil.example', '@example.com invites you to the workspace Personal as a member.'],
  ['pay@evil', '@example.com invites you to the workspace Personal as a member.'],
  ['Ada\u2028\u202eLovelace', 'AdaLovelace invites you to the workspace Personal as a member.'],
  ['x'.repeat(200), `${'x'.repeat(60)} invites you to the workspace Personal as a member.`],
])('an invitation of somebody called %j says: %s', async (full_name, text) => {
  const inviter = await startSession(server, { userMetadata: { full_name } })
  const email = address()
  await inviter.call('POST', '/api/team/invitations', { body: { email } })
  await vi.waitUntil(() => server.mailbox!.list(email).length === 1, { timeout: 120_000 })
  const [mail] = server.mailbox!.list(email)
  expect(mail!.subject).toBe('Invitation to a Finmeter workspace')
  expect(mail!.text).toContain(text)
  expect(mail!.text).toContain('--\nFinmeter, workspace Personal\n')
  expect(mail!.text).not.toContain('evil')
})
