import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { endExpiredHolds } from '../metering/holds.ts'
import { type DoorServer, doorTools, startDoorServer } from './testing/door-server.ts'

let server: DoorServer
beforeAll(async () => {
  const [price, ...others] = doorTools
  const search = others.find(({ name }) => name === 'acme_search')!
  server = await startDoorServer([
    { ...price!, holdSeconds: 900 },
    { ...search, holdSeconds: 20, unsettled: 'charge' },
  ])
})
afterAll(() => server?.close())
afterEach(async () => {
  expect(await server.invariants()).toEqual([])
})

const query = async (text: string, values: unknown[]) => (await server.db.pool.query(text, values)).rows
const lasting = async (accountId: number): Promise<number[]> =>
  (
    await query(
      'select round(extract(epoch from expires_at - app_now()) / 10)::int * 10 as s from credit_holds where account_id = $1',
      [accountId],
    )
  ).map(({ s }) => s)
const expire = async (accountId: number) => {
  await query('update credit_holds set expires_at = app_now() where account_id = $1', [accountId])
  await endExpiredHolds(server.db)
}
const spent = async (accountId: number) => (await server.spending(accountId)).credits

test('a hold lasts and ends as its operation says', async () => {
  const key = await server.key({ credits: 100 })
  expect((await server.post('authorize', { key: key.value, operation: 'acme_price' })).status).toBe(200)
  expect(await lasting(key.accountId)).toEqual([900])
  await expire(key.accountId)
  expect(await spent(key.accountId)).toBe(0)
  expect((await server.post('authorize', { key: key.value, operation: 'acme_search' })).status).toBe(200)
  expect(await lasting(key.accountId)).toEqual([20])
  await expire(key.accountId)
  expect(await spent(key.accountId)).toBe(30)
})

test('a request can say otherwise', async () => {
  const key = await server.key({ credits: 100 })
  const given = { key: key.value, operation: 'acme_search', hold_seconds: 60, unsettled: 'release' }
  expect((await server.post('authorize', given)).status).toBe(200)
  expect(await lasting(key.accountId)).toEqual([60])
  await expire(key.accountId)
  expect(await spent(key.accountId)).toBe(0)
})

test('a gateway holds as the operation says', async () => {
  const key = await server.key({ credits: 100 })
  const answer = await fetch(`${server.url}/v1/meter/auth?gateway=caddy`, {
    headers: {
      authorization: `Bearer ${key.value}`,
      'finmeter-service-key': server.serviceKeys.acme,
      'x-forwarded-method': 'GET',
      'x-forwarded-uri': '/search',
    },
  })
  expect([answer.status, answer.headers.has('finmeter-hold')]).toEqual([200, true])
  expect(await lasting(key.accountId)).toEqual([20])
  await expire(key.accountId)
  expect(await spent(key.accountId)).toBe(30)
})

test.each([
  { hours: 11.9, status: 200 },
  { hours: 12.1, status: 409 },
  { hours: 24.1, status: 409 },
])(
  'a hold is settled for 12 hours, long before its first settlement is forgotten: $hours',
  async ({ hours, status }) => {
    const key = await server.key({ credits: 100 })
    const { hold } = (await server.post('authorize', { key: key.value, operation: 'acme_price' })).body
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
    const settled = await server.post('settle', { hold }).finally(() => vi.useRealTimers())
    expect(settled.status).toBe(status)
  },
)

test('an idempotency key does not count where each attempt would be charged', async () => {
  const key = await server.key({ credits: 100 })
  const given = { key: key.value, operation: 'acme_search', idempotency_key: 'same' }
  for (const replayed of [false, false]) {
    const { hold } = (await server.post('authorize', given)).body
    expect((await server.post('settle', { hold, units: 10 })).body).toMatchObject({ credits_charged: 3, replayed })
  }
  const contradiction = await server.post('authorize', { ...given, unsettled: 'charge' })
  expect([contradiction.status, contradiction.body.param]).toEqual([400, 'unsettled'])
})
