import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { plansByName } from '../billing/testing/billing.ts'
import { suspendNow } from '../operator/testing/suspend.ts'

const server = await closeAfterTests(startTestServer())
const person = await startSession(server)
const guest = await startSession(server)
const workspaceId = await joinWorkspace(server, person, guest, 'member')
const keyId = (await person.call('POST', '/api/keys', { body: { name: 'Kept' } })).body.data.apiKey.id
const invited = await person.call('POST', '/api/team/invitations', { body: { email: 'invited@example.com' } })
const invitationId = invited.body.data.invitation.id
const priceId = (await plansByName(person)).Pro!.priceId
beforeAll(async () => {
  await suspendNow(server.db, workspaceId, true)
})

describe('in a suspended workspace', () => {
  test.each([
    ['a key', '/api/keys', () => ({ name: 'New' })],
    ['a rotation', '/api/keys/{key}/rotate', () => ({})],
    ['an invitation', '/api/team/invitations', () => ({ email: 'another@example.com' })],
    ['an invitation again', '/api/team/invitations/{invitation}/resend', () => ({})],
    ['the free plan', '/api/billing/subscribe-free-plan', () => ({})],
    ['a paid plan', '/api/billing/checkout', () => ({ priceId })],
    ['a top-up', '/api/billing/credits/topup', () => ({ packs: 1, requestId: randomUUID() })],
    ['automatic top-ups', '/api/billing/credits/auto-topup', () => ({ enabled: true })],
  ])('nobody starts %s', async (_name, path, body) => {
    const url = path.replace('{key}', keyId).replace('{invitation}', invitationId)
    const answer = await person.call('POST', url, { body: body() })
    expect([answer.status, answer.body]).toEqual([
      403,
      { success: false, error: 'This account is suspended. Contact support.', code: 'account_suspended' },
    ])
  })

  test('people still read, leave, revoke, delete and turn things off', async () => {
    const done = [
      await person.call('GET', '/api/keys'),
      await person.call('POST', '/api/billing/credits/auto-topup', { body: { enabled: false } }),
      await person.call('DELETE', `/api/team/invitations/${invitationId}`),
      await person.call('DELETE', `/api/team/members/${guest.userId}`),
      await person.call('DELETE', `/api/keys/${keyId}`),
      await person.call('POST', '/api/account/deletion', { body: { confirmation: 'delete my account' } }),
    ]
    expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  })
})
