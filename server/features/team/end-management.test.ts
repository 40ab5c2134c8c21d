import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { type Membership, makeMembership } from '#server/testing/lifecycle-world.ts'
import { joinWorkspace, startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

const server = await closeAfterTests(startTestServer())

const asOwner =
  ({ owner }: Membership) =>
  (method: string, path: string, body?: unknown) =>
    owner.call(method, path, { body })
const make = async (by: Membership['act'], name: string): Promise<string> =>
  (await by('POST', '/api/keys', { name })).body.data.apiKey.id

test('a removal names the keys whose present values the person has seen', async () => {
  const team = await makeMembership(server, false)
  const [owner, admin, userId] = [asOwner(team), team.act, team.person.userId]
  const made = await make(admin, 'Made')
  const listed = await make(owner, 'Listed')
  const rotatedSince = await make(owner, 'Rotated since')
  const inGrace = await make(owner, 'Old value still accepted')
  const rotatedByThem = await make(owner, 'Rotated by them')
  const deleted = await make(owner, 'Deleted')
  await admin('GET', '/api/keys')
  await owner('POST', `/api/keys/${rotatedSince}/rotate`, { graceSeconds: 0 })
  await owner('POST', `/api/keys/${inGrace}/rotate`, { graceSeconds: 3_600 })
  await owner('POST', `/api/keys/${rotatedByThem}/rotate`, { graceSeconds: 0 })
  await admin('POST', `/api/keys/${rotatedByThem}/rotate`, { graceSeconds: 0 })
  await owner('DELETE', `/api/keys/${deleted}`)
  await make(owner, 'Never seen')
  const seen = [
    { id: made, name: 'Made' },
    { id: listed, name: 'Listed' },
    { id: inGrace, name: 'Old value still accepted' },
    { id: rotatedByThem, name: 'Rotated by them' },
  ]
  const demoted = await owner('PUT', `/api/team/members/${userId}`, { role: 'member' })
  expect(demoted.body.data.keys_seen).toEqual(seen)
  // Members get no values, so this reveals nothing to them.
  await admin('GET', '/api/keys')
  const removed = await owner('DELETE', `/api/team/members/${userId}`)
  expect(removed.body.data).toEqual({ user_id: userId, removed: true, keys_seen: seen })
})

test('the removal of a member and a promotion name no keys', async () => {
  const [host, guest] = await Promise.all([startSession(server), startSession(server)])
  const headers = { 'x-workspace-id': await joinWorkspace(server, host, guest, 'member') }
  const member = `/api/team/members/${guest.userId}`
  await host.call('POST', '/api/keys', { body: { name: 'Hidden' } })
  await guest.call('GET', '/api/keys', { headers })
  const promoted = await host.call('PUT', member, { body: { role: 'admin' } })
  expect(promoted.body.data.keys_seen).toEqual([])
  await host.call('PUT', member, { body: { role: 'member' } })
  expect((await host.call('DELETE', member)).body.data.keys_seen).toEqual([])
})

test('a removal revokes the invitations that the person sent, and no others', async () => {
  const team = await makeMembership(server, false)
  const owner = asOwner(team)
  const [theirs, others] = [1, 2].map(() => `${randomUUID().slice(0, 8)}@example.com`)
  await team.act('POST', '/api/team/invitations', { email: theirs })
  await owner('POST', '/api/team/invitations', { email: others })
  await owner('DELETE', `/api/team/members/${team.person.userId}`)
  const { invitations } = (await owner('GET', '/api/team')).body.data
  expect(invitations.map((one: { email: string }) => one.email)).toEqual([others])
  const { entries } = (await owner('GET', '/api/audit?area=invitation')).body.data
  expect(entries[0]).toMatchObject({ action: 'invitation.revoked', detail: { email: theirs } })
})

test('an admin who becomes a member loses the invitations that they sent', async () => {
  const team = await makeMembership(server, false)
  const owner = asOwner(team)
  await team.act('POST', '/api/team/invitations', { email: `${randomUUID().slice(0, 8)}@example.com` })
  expect((await owner('GET', '/api/team')).body.data.invitations).toHaveLength(1)
  await owner('PUT', `/api/team/members/${team.person.userId}`, { role: 'member' })
  expect((await owner('GET', '/api/team')).body.data.invitations).toEqual([])
  const { entries } = (await owner('GET', '/api/audit?area=invitation')).body.data
  expect(entries[0]).toMatchObject({ action: 'invitation.revoked' })
})
