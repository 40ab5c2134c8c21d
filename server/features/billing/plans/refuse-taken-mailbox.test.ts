import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.close())

const unique = () => `m${randomUUID().slice(0, 8)}`
const redeem = async (person: TestSession) => {
  const { status, body } = await person.call('POST', '/api/billing/subscribe-free-plan')
  return [status, body.code, body.error]
}
const TAKEN = [
  409,
  'conflict',
  'Another account with your mailbox has already used the free plan. Sign in with that address, or choose a paid plan.',
]

const dotted = (name: string) => `${name.slice(0, 3)}.${name.slice(3)}`

test.each([
  ['a plus part', (name: string) => [`${name}@example.com`, `${name}+1@example.com`]],
  ['two plus parts and capitals', (name: string) => [`${name}+a@example.com`, `${name}+b+c@Example.com`]],
  ['dots at Gmail', (name: string) => [`${name}@gmail.com`, `${dotted(name)}+x@gmail.com`]],
  ['the second domain of Gmail', (name: string) => [`${dotted(name)}@gmail.com`, `${name}@googlemail.com`]],
])('one free plan for a mailbox: %s', async (_case, spellings) => {
  const [one, other] = spellings(unique())
  const first = await startSession(server, { email: one! })
  const second = await startSession(server, { email: other! })
  expect((await redeem(first))[0]).toBe(200)
  expect(await redeem(second)).toEqual(TAKEN)
  // The first account is not affected.
  expect((await redeem(first))[0]).toBe(200)
  const keys = await second.call('GET', '/api/keys')
  expect(keys.body.data.apiKeys).toEqual([])
})

test('other mailboxes are not mixed up: dots elsewhere, a leading plus, another domain', async () => {
  const name = unique()
  for (const email of [
    `${name}@example.com`,
    `${dotted(name)}@example.com`,
    `+${name}@example.com`,
    `+other${name}@example.com`,
    `${name}@example.org`,
    `${name}@gmail.com`,
  ])
    expect([email, (await redeem(await startSession(server, { email })))[0]]).toEqual([email, 200])
})

test('accounts of one mailbox that redeem at the same moment get one free plan', async () => {
  const name = unique()
  const people = await Promise.all(
    Array.from({ length: 6 }, (_, index) => startSession(server, { email: `${name}+${index}@example.com` })),
  )
  const statuses = (await Promise.all(people.map(redeem))).map(([status]) => status)
  expect(statuses.sort()).toEqual([200, 409, 409, 409, 409, 409])
})

test('a mailbox that redeemed and was exchanged for another cannot redeem again', async () => {
  const name = unique()
  const first = await startSession(server, { email: `${name}@example.com` })
  expect((await redeem(first))[0]).toBe(200)
  const moved = await startSession(server, { userId: first.userId, email: `${name}@example.org` })
  await moved.call('POST', '/api/auth/callback', { body: { access_token: moved.token } })
  expect((await moved.call('GET', '/api/auth/profile')).body.data.user.email).toBe(moved.email)
  expect(await redeem(await startSession(server, { email: `${name}@example.com` }))).toEqual(TAKEN)
  // The new mailbox belongs to somebody who has had it, too.
  expect(await redeem(await startSession(server, { email: `${name}+2@example.org` }))).toEqual(TAKEN)
})

test('a person without an address can redeem', async () => {
  expect((await redeem(await startSession(server, { email: '' })))[0]).toBe(200)
  expect((await redeem(await startSession(server, { email: '' })))[0]).toBe(200)
})

test('with FREE_PLAN_PER_MAILBOX=off each account has its own', async () => {
  const open = await startTestServer({ env: { FREE_PLAN_PER_MAILBOX: 'off' } })
  const name = unique()
  for (const email of [`${name}@example.com`, `${name}+1@example.com`])
    expect((await redeem(await startSession(open, { email })))[0]).toBe(200)
  await open.close()
})
