import { expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { type Membership, makeConnection } from '#server/testing/lifecycle-world.ts'
import { call } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

const server = await closeAfterTests(startTestServer())
const second = await closeAfterTests(
  startTestServer({ databaseUrl: server.databaseUrl, env: { PUBLIC_URL: server.url } }),
)

const statusOf = async (at: TestServer, access: string): Promise<number> => {
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
  return (await call(at, 'POST', '/mcp', { body, headers: { authorization: `Bearer ${access}` } })).status
}
const remove = ({ owner, person }: Membership) => owner.call('DELETE', `/api/team/members/${person.userId}`)
const asOperator = async (method: string, { person }: Membership, body?: unknown) => {
  const authorization = `Bearer ${await server.deps.accessTokens.signServiceKey()}`
  const answer = await call(server, method, `/auth/v1/admin/users/${person.userId}`, {
    body,
    headers: { authorization },
  })
  expect(answer.status, answer.text).toBe(200)
}

test.each([
  ['removed', remove],
  ['banned', (one: Membership) => asOperator('PUT', one, { ban_duration: '24h' })],
  ['deleted by the operator', (one: Membership) => asOperator('DELETE', one)],
  ['softly deleted by the operator', (one: Membership) => asOperator('DELETE', one, { should_soft_delete: true })],
])('a token that every instance has cached is refused once its person is %s', async (_state, end) => {
  const { access, membership } = await makeConnection(server)
  for (const at of [server, second]) expect(await statusOf(at, access)).toBe(200)
  await end(membership)
  for (const at of [server, second]) await expect.poll(() => statusOf(at, access)).toBe(401)
})

test('a removal ends the keys of the apps that the person connected, and no others', async () => {
  const { access, membership } = await makeConnection(server)
  const { act, owner, workspaceId } = membership
  await act('POST', '/api/keys', { name: 'Stays' })
  const names = async () =>
    (await owner.call('GET', '/api/keys')).body.data.apiKeys.map(({ name }: { name: string }) => name)
  expect(await names()).toEqual(['Desk (connected app)', 'Stays'])
  await remove(membership)
  expect(await names()).toEqual(['Stays'])
  expect(await statusOf(server, access)).toBe(401)
  const { rows } = await server.db.pool.query(
    `select l.actor, k.name from audit_log l join accounts a on a.id = l.account_id join api_keys k on k.public_id::text = l.target
     where a.public_id = $1 and l.action = 'key.deleted'`,
    [workspaceId],
  )
  expect(rows).toEqual([{ actor: 'system:oauth', name: 'Desk (connected app)' }])
})
