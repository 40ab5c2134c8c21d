import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserContext } from '#server/context.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { readBalance } from '../../credits/balance.ts'
import { moveClock } from '../../metering/testing/meter-fixture.ts'
import { accountOf } from '../testing/billing.ts'
import { redeemFreePlan } from './redeem-free-plan.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test('without a payment provider, a free plan that ended can be redeemed again and its months continue', async () => {
  const person = await startSession(server)
  await person.call('GET', '/api/billing/plans')
  const accountId = await accountOf(server, person)
  const ctx: UserContext = {
    actor: {
      kind: 'user',
      userId: person.userId,
      email: person.email,
      sessionId: '',
      accountId,
      bucket: 0,
      role: 'owner',
    },
    deps: { ...server.deps, stripe: null },
    requestId: 'req_test',
    ip: '127.0.0.1',
  }
  const remaining = async () => (await readBalance(server.db.kysely, accountId)).remaining
  const first = await redeemFreePlan(ctx)
  expect(first.alreadySubscribed).toBe(false)
  await server.db.pool.query("update subscriptions set status = 'canceled', ended_at = app_now() where id = $1", [
    first.subscription?.id,
  ])
  await moveClock(server, '20 days')
  expect(await redeemFreePlan(ctx)).toEqual({ ...first, firstKey: null })
  expect(await remaining()).toBe(1_000)
  expect(await redeemFreePlan(ctx)).toEqual({ ...first, alreadySubscribed: true, firstKey: null })
  expect(await remaining()).toBe(1_000)
})
