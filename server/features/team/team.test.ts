import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { call, joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

const server = await closeAfterTests(startTestServer())

/** A workspace with one person of each role, and each one's way to call it. */
async function makeTeam() {
  const [owner, admin, member, stranger] = await Promise.all([1, 2, 3, 4].map(() => startSession(server)))
  const id = await joinWorkspace(server, owner!, admin!, 'admin')
  await joinWorkspace(server, owner!, member!, 'member')
  const within = (person: TestSession) => (method: string, path: string, body?: unknown) =>
    person.call(method, path, { body, headers: { 'x-workspace-id': id } })
  return {
    id,
    people: { owner: owner!, admin: admin!, member: member!, stranger: stranger! },
    owner: within(owner!),
    admin: within(admin!),
    member: within(member!),
    stranger: within(stranger!),
  }
}

const address = () => `${randomUUID().slice(0, 8)}@example.com`

/** The secret of the link in the newest mail to an address. */
async function tokenIn(email: string, count = 1): Promise<string> {
  const mailbox = server.mailbox!
  await vi.waitUntil(() => mailbox.list(email).length >= count, { timeout: 120_000 })
  return /\/invitation#(\S+)/.exec(mailbox.list(email)[0]!.text)![1]!
}

const preview = (token: string) => call(server, 'POST', '/api/invitations/preview', { body: { token } })
const accept = (person: TestSession, token: string) =>
  person.call('POST', '/api/invitations/accept', { body: { token } })
const rolesOf = async (team: Awaited<ReturnType<typeof makeTeam>>) =>
  (await team.owner('GET', '/api/team')).body.data?.members.map((one: { role: string }) => one.role)
const agePast = (email: string, interval: string) =>
  server.db.pool.query(
    `update account_invitations set sent_at = sent_at - $2::interval, expires_at = expires_at - $2::interval where email = $1`,
    [email, interval],
  )

describe('GET /api/team', () => {
  test('shows a new workspace as its one owner', async () => {
    const person = await startSession(server, { email: 'solo@example.com', userMetadata: { full_name: 'Solo' } })
    expect((await person.call('GET', '/api/team')).body).toEqual({
      success: true,
      data: {
        members: [
          {
            user_id: person.userId,
            full_name: 'Solo',
            email: 'solo@example.com',
            avatar_url: null,
            role: 'owner',
            joined_at: expect.stringMatching(/Z$/),
            seen_on: new Date().toISOString().slice(0, 10),
            you: true,
          },
        ],
        invitations: [],
      },
    })
  })

  test('lists owner, admins, members; invitations only to those who may invite', async () => {
    const team = await makeTeam()
    await team.owner('POST', '/api/team/invitations', { email: address() })
    const [asOwner, asAdmin, asMember] = await Promise.all(
      [team.owner, team.admin, team.member].map(async (within) => (await within('GET', '/api/team')).body.data),
    )
    expect(asOwner.members.map((one: { role: string }) => one.role)).toEqual(['owner', 'admin', 'member'])
    expect(asMember.members.map((one: { you: boolean }) => one.you)).toEqual([false, false, true])
    expect([asOwner, asAdmin, asMember].map((one) => one.invitations.length)).toEqual([1, 1, 0])
  })
})

describe('an invitation', () => {
  test('goes by mail, is previewed by its link and accepted by the person of that address', async () => {
    const team = await makeTeam()
    const guest = await startSession(server)
    const sent = await team.admin('POST', '/api/team/invitations', {
      email: ` ${guest.email.toUpperCase()} `,
      role: 'admin',
    })
    expect(sent.status).toBe(201)
    const { invitation } = sent.body.data
    expect(invitation).toMatchObject({
      email: guest.email,
      role: 'admin',
      invited_by: team.people.admin.email,
      expired: false,
    })
    const days = (Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)) / 86_400_000
    expect(days).toBeCloseTo(7, 3)
    expect(sent.text).not.toContain('#')

    const token = await tokenIn(guest.email)
    expect((await preview(token)).body.data.invitation).toEqual({
      workspace: `${team.people.owner.email}’s workspace`,
      email: guest.email,
      role: 'admin',
      invited_by: team.people.admin.email,
      expires_at: invitation.expires_at,
    })
    const accepted = await accept(guest, token)
    expect(accepted.status).toBe(200)
    expect(accepted.body.data.workspace).toMatchObject({ id: team.id, role: 'admin', personal: false })
    expect((await guest.call('GET', '/api/keys', { headers: { 'x-workspace-id': team.id } })).status).toBe(200)
    expect(await rolesOf(team)).toEqual(['owner', 'admin', 'admin', 'member'])
    expect((await team.owner('GET', '/api/team')).body.data.invitations).toEqual([])
  })

  test('works once, also when it is pressed twenty times at once', async () => {
    const team = await makeTeam()
    const guest = await startSession(server)
    await team.owner('POST', '/api/team/invitations', { email: guest.email })
    const token = await tokenIn(guest.email)
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(guest, token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19)
    expect(await rolesOf(team)).toEqual(['owner', 'admin', 'member', 'member'])
  })

  test('opens nothing for another address, and stays open', async () => {
    const team = await makeTeam()
    const [guest, thief] = await Promise.all([startSession(server), startSession(server)])
    await team.owner('POST', '/api/team/invitations', { email: guest.email })
    const token = await tokenIn(guest.email)
    const stolen = await accept(thief, token)
    expect([stolen.status, stolen.body.code]).toEqual([403, 'forbidden'])
    expect(stolen.body.error).toContain(`This invitation is for ${guest.email}.`)
    expect((await accept(guest, token)).status).toBe(200)
  })

  test('ends when it is revoked, has expired, or was sent again: one and the same reply', async () => {
    const team = await makeTeam()
    const [revoked, expired, again] = [address(), address(), address()]
    const ids: string[] = []
    for (const email of [revoked, expired, again])
      ids.push((await team.owner('POST', '/api/team/invitations', { email })).body.data.invitation.id)
    const tokens = await Promise.all([revoked, expired, again].map((email) => tokenIn(email)))

    expect((await team.owner('DELETE', `/api/team/invitations/${ids[0]}`)).body.data).toEqual({
      id: ids[0],
      revoked: true,
    })
    await agePast(expired, '8 days')
    await agePast(again, '61 seconds')
    expect((await team.owner('POST', `/api/team/invitations/${ids[2]}/resend`)).status).toBe(200)
    const fresh = await tokenIn(again, 2)

    const [id, mac] = fresh.split('.')
    const altered = `${id}.${mac!.startsWith('A') ? 'B' : 'A'}${mac!.slice(1)}`
    const dead = [...tokens, altered, `${randomUUID()}.${mac}`, 'x', "'", '\0', `${id}`, `${id}.`]
    const replies = await Promise.all(dead.map(preview))
    expect(replies.map(({ status }) => status)).toEqual(dead.map(() => 404))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect((await preview(fresh)).status).toBe(200)
    expect(
      (await team.owner('GET', '/api/team')).body.data.invitations.map((one: { expired: boolean }) => one.expired),
    ).toEqual([false, true])
  })

  test('is not sent again within a minute', async () => {
    const team = await makeTeam()
    const { id } = (await team.owner('POST', '/api/team/invitations', { email: address() })).body.data.invitation
    const soon = await team.owner('POST', `/api/team/invitations/${id}/resend`)
    expect([soon.status, soon.body.code, soon.headers.get('retry-after')]).toEqual([429, 'rate_limited', '60'])
  })

  test('is refused for a member, for an open invitation, and beyond fifty', async () => {
    const team = await makeTeam()
    const member = await team.owner('POST', '/api/team/invitations', { email: team.people.member.email })
    expect([member.status, member.body.error]).toEqual([
      409,
      `${team.people.member.email} is a member of this workspace already.`,
    ])
    const email = address()
    await team.owner('POST', '/api/team/invitations', { email })
    const twice = await team.owner('POST', '/api/team/invitations', { email })
    expect([twice.status, twice.body.error]).toEqual([
      409,
      `${email} has an open invitation already. Send it again from the list.`,
    ])
    await server.db.pool.query(
      `insert into account_invitations (account_id, email, role, expires_at)
       select id, 'n' || n || '@example.com', 'member', app_now() + interval '1 day' from accounts, generate_series(1, 49) n where public_id = $1`,
      [team.id],
    )
    const many = await team.owner('POST', '/api/team/invitations', { email: address() })
    expect([many.status, many.body.code]).toEqual([409, 'conflict'])
  })

  test('replaces an expired one of the same address', async () => {
    const team = await makeTeam()
    const email = address()
    await team.owner('POST', '/api/team/invitations', { email })
    await agePast(email, '8 days')
    expect((await team.owner('POST', '/api/team/invitations', { email, role: 'admin' })).status).toBe(201)
    expect((await team.owner('GET', '/api/team')).body.data.invitations).toHaveLength(1)
  })

  test.each([
    [{}, 'email: is required'],
    [{ email: '' }, 'email: must be an email address such as ada@example.com'],
    [{ email: 'a@b' }, 'email: must be an email address such as ada@example.com'],
    [{ email: 'a@b.com, c@d.com' }, 'email: must be an email address such as ada@example.com'],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }, 'email: must be an email address such as ada@example.com'],
    [{ email: `${'a'.repeat(250)}@example.com` }, 'email: must be at most 254 characters'],
    [{ email: 7 }, 'email: is required'],
    [{ email: 'a@example.com', role: 'owner' }, 'role: must be admin or member'],
  ])('%j is refused: %s', async (body, error) => {
    const person = await startSession(server)
    const answer = await person.call('POST', '/api/team/invitations', { body })
    expect([answer.status, answer.body]).toEqual([400, { success: false, error, code: 'invalid_parameter' }])
  })

  test('of a workspace that cannot send mail is refused with the reason', async () => {
    const silent = await closeAfterTests(startTestServer({ env: { SANDBOX: 'off' } }))
    const person = await startSession(silent)
    const answer = await person.call('POST', '/api/team/invitations', { body: { email: address() } })
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    expect(answer.body.error).toContain('This installation has no mail server')
  })
})

describe('members', () => {
  test('change roles, are removed and leave; the audit log records each', async () => {
    const team = await makeTeam()
    const { admin, member } = team.people
    const changed = await team.owner('PUT', `/api/team/members/${member.userId}`, { role: 'admin' })
    expect(changed.body.data.member).toMatchObject({ user_id: member.userId, role: 'admin' })
    await team.owner('PUT', `/api/team/members/${member.userId}`, { role: 'member' })
    expect((await team.admin('DELETE', `/api/team/members/${member.userId}`)).body.data).toEqual({
      user_id: member.userId,
      removed: true,
      keys_seen: [],
    })
    expect((await team.member('GET', '/api/team')).status).toBe(404)
    expect((await team.admin('POST', '/api/team/leave')).body.data).toEqual({ left: true })
    expect((await team.admin('GET', '/api/team')).status).toBe(404)
    expect(await rolesOf(team)).toEqual(['owner'])
    const { rows } = await server.db.pool.query(
      `select actor, action, target from audit_log l join accounts a on a.id = l.account_id where a.public_id = $1 and (action like 'member.%') order by l.id`,
      [team.id],
    )
    expect(rows).toEqual([
      { actor: `user:${team.people.owner.userId}`, action: 'member.role_changed', target: member.userId },
      { actor: `user:${team.people.owner.userId}`, action: 'member.role_changed', target: member.userId },
      { actor: `user:${admin.userId}`, action: 'member.removed', target: member.userId },
      { actor: `user:${admin.userId}`, action: 'member.left', target: admin.userId },
    ])
  })

  test('a workspace keeps its owner', async () => {
    const team = await makeTeam()
    const owner = team.people.owner.userId
    expect((await team.owner('POST', '/api/team/leave')).status).toBe(409)
    expect((await team.owner('DELETE', `/api/team/members/${owner}`)).status).toBe(409)
    expect((await team.owner('PUT', `/api/team/members/${owner}`, { role: 'member' })).status).toBe(409)
    expect((await team.admin('DELETE', `/api/team/members/${owner}`)).status).toBe(403)
    expect(await rolesOf(team)).toEqual(['owner', 'admin', 'member'])
  })

  test('an admin does not remove another admin', async () => {
    const team = await makeTeam()
    await team.owner('PUT', `/api/team/members/${team.people.member.userId}`, { role: 'admin' })
    expect((await team.admin('DELETE', `/api/team/members/${team.people.member.userId}`)).status).toBe(403)
  })

  test("another's, a missing and a malformed person get the same reply", async () => {
    const team = await makeTeam()
    const replies = await Promise.all(
      [team.people.stranger.userId, randomUUID(), 'x', "'"].map((id) =>
        team.owner('DELETE', `/api/team/members/${id}`),
      ),
    )
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(replies[0]!.status).toBe(404)
  })
})

describe('a transfer', () => {
  test('makes the member the owner; the former one stays as admin and gets a new Personal workspace', async () => {
    const team = await makeTeam()
    const { owner, member } = team.people
    const answer = await team.owner('POST', '/api/team/transfer', { userId: member.userId })
    expect(
      answer.body.data.members.map((one: { user_id: string; role: string }) => [one.user_id, one.role])[0],
    ).toEqual([member.userId, 'owner'])
    expect(await rolesOf(team)).toEqual(['owner', 'admin', 'admin'])
    const { workspaces } = (await owner.call('GET', '/api/workspaces')).body.data
    expect(workspaces).toEqual([
      { id: expect.any(String), name: 'Personal', role: 'owner', personal: true },
      { id: team.id, name: `${owner.email}’s workspace`, role: 'admin', personal: false },
    ])
    expect(workspaces[0].id).not.toBe(team.id)
    expect((await team.owner('POST', '/api/team/transfer', { userId: owner.userId })).status).toBe(403)
  })

  test('does not bring a second free plan', async () => {
    const team = await makeTeam()
    const { owner, member } = team.people
    expect((await team.owner('POST', '/api/billing/subscribe-free-plan', {})).body.data.alreadySubscribed).toBe(false)
    await team.owner('POST', '/api/team/transfer', { userId: member.userId })
    const again = await owner.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
    expect(again.body.data).toEqual({ alreadySubscribed: true, subscription: null, firstKey: null })
  })

  test('twenty at once leave exactly one owner', async () => {
    const team = await makeTeam()
    const heirs = [team.people.admin.userId, team.people.member.userId]
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => team.owner('POST', '/api/team/transfer', { userId: heirs[n % 2] })),
    )
    expect((await rolesOf(team)).filter((role: string) => role === 'owner')).toHaveLength(1)
  })

  test('goes to nobody whose account is being deleted: the workspace would be deleted with them', async () => {
    const team = await makeTeam()
    const { member } = team.people
    await member.call('POST', '/api/account/deletion', { body: { confirmation: 'delete my account' } })
    const answer = await team.owner('POST', '/api/team/transfer', { userId: member.userId })
    expect([answer.status, answer.body.error]).toEqual([
      409,
      `The account of ${member.email} is being deleted. Choose somebody else, or ask them to keep it in Settings first.`,
    ])
    expect(await rolesOf(team)).toEqual(['owner', 'admin', 'member'])
    await member.call('DELETE', '/api/account/deletion')
    expect((await team.owner('POST', '/api/team/transfer', { userId: member.userId })).status).toBe(200)
  })

  test('and a deletion of the heir at the same moment: one of the two is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const team = await makeTeam()
      const { member } = team.people
      const [transfer, deletion] = await Promise.all([
        team.owner('POST', '/api/team/transfer', { userId: member.userId }),
        member.call('POST', '/api/account/deletion', { body: { confirmation: 'delete my account' } }),
      ])
      expect([transfer.status, deletion.status].sort()).toEqual([200, 409])
    }
  })

  test('goes to nobody outside, and not to oneself', async () => {
    const team = await makeTeam()
    expect((await team.owner('POST', '/api/team/transfer', { userId: team.people.stranger.userId })).status).toBe(404)
    expect((await team.owner('POST', '/api/team/transfer', { userId: team.people.owner.userId })).status).toBe(409)
    expect((await team.owner('POST', '/api/team/transfer', { userId: 'x' })).body.error).toBe(
      'userId: must be the user_id of a member',
    )
  })
})
