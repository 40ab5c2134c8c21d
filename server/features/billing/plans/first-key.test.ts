import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiKey } from '#contract/keys.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { buyPlan, passTime, plansByName, pressCheckout, settleBilling } from '../testing/billing.ts'

const keysOf = async (person: TestSession): Promise<ApiKey[]> =>
  (await person.call('GET', '/api/keys')).body.data.apiKeys
const askFirstKey = (person: TestSession) => person.call('POST', '/api/billing/first-key')
const subscribeFree = (person: TestSession) => person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })

describe('a first plan that is paid', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server.close())

  test('creates the key Default by the webhook, and later events create no other', async () => {
    const person = await startSession(server)
    const { Pro } = await plansByName(person)
    await buyPlan(server, person, Pro)
    const keys = await keysOf(person)
    expect(keys.map(({ name }) => name)).toEqual(['Default'])
    expect((await askFirstKey(person)).body.data).toEqual({ apiKey: null })
    await person.call('DELETE', `/api/keys/${keys[0]!.id}`)
    await passTime(server, 31 * 86_400)
    expect(await keysOf(person)).toEqual([])
    expect((await askFirstKey(person)).body.data).toEqual({ apiKey: null })
  })

  test('creates one key, although the webhook and the returning browser settle it at the same moment', async () => {
    const person = await startSession(server)
    const { Pro } = await plansByName(person)
    const opened = await person.call('POST', '/api/billing/checkout', { body: { priceId: Pro?.priceId } })
    await pressCheckout(opened.body.data.url, 'pay')
    await server.db.pool.query("update checkouts set checked_at = checked_at - interval '3 seconds'")
    const ask = () => person.call('GET', '/api/billing/subscription')
    await Promise.all([settleBilling(server), ask(), ask(), askFirstKey(person), askFirstKey(person)])
    await settleBilling(server)
    expect((await keysOf(person)).map(({ name }) => name)).toEqual(['Default'])
  })

  test('leaves the keys that exist, and the keys of a plan that is not the first', async () => {
    const person = await startSession(server)
    const { Pro } = await plansByName(person)
    await person.call('POST', '/api/keys', { body: { name: 'Mine' } })
    await buyPlan(server, person, Pro)
    expect((await keysOf(person)).map(({ name }) => name)).toEqual(['Mine'])

    const upgrading = await startSession(server)
    await subscribeFree(upgrading)
    const [first] = await keysOf(upgrading)
    await upgrading.call('DELETE', `/api/keys/${first!.id}`)
    await passTime(server, 2 * 3_600)
    await buyPlan(server, upgrading, Pro)
    expect(await keysOf(upgrading)).toEqual([])
  })
})

describe('KEYS_REVEAL=once', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer({ env: { KEYS_REVEAL: 'once' } })
  })
  afterAll(() => server.close())

  test('the buyer asks for the key of a paid plan, and only that answer contains it', async () => {
    const person = await startSession(server)
    const { Pro } = await plansByName(person)
    expect((await askFirstKey(person)).body.data).toEqual({ apiKey: null })
    await buyPlan(server, person, Pro)
    expect(await keysOf(person)).toEqual([])
    const asked = await Promise.all([askFirstKey(person), askFirstKey(person), askFirstKey(person)])
    const given = asked.map(({ body }) => body.data.apiKey as ApiKey | null).filter((key) => key !== null)
    expect(given.map(({ name }) => name)).toEqual(['Default'])
    expect(await server.deps.keys.verify(given[0]!.unkey)).not.toBeNull()
    expect((await keysOf(person)).map(({ unkey }) => unkey)).toEqual([`${given[0]!.unkey.slice(0, 8)}...`])
    await person.call('DELETE', `/api/keys/${given[0]!.id}`)
    expect((await askFirstKey(person)).body.data).toEqual({ apiKey: null })
  })

  test('redeeming the free plan answers with the key, once', async () => {
    const person = await startSession(server)
    const { firstKey, alreadySubscribed } = (await subscribeFree(person)).body.data
    expect([alreadySubscribed, firstKey.name]).toEqual([false, 'Default'])
    expect(await server.deps.keys.verify(firstKey.unkey)).not.toBeNull()
    expect((await subscribeFree(person)).body.data.firstKey).toBeNull()
  })

  test('members of the workspace are refused', async () => {
    const owner = await startSession(server)
    const { Pro } = await plansByName(owner)
    await buyPlan(server, owner, Pro)
    const member = await startSession(server)
    const headers = { 'x-workspace-id': await joinWorkspace(server, owner, member, 'member') }
    const refused = await member.call('POST', '/api/billing/first-key', { headers })
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect((await askFirstKey(owner)).body.data.apiKey.name).toBe('Default')
  })
})
