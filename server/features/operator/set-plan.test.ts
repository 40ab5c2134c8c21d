import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { buyPlan, plansByName } from '../billing/testing/billing.ts'
import { setPlan } from './set-plan.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test('a plan that is paid for, even late, is left to the payment provider', async () => {
  const person = await startSession(server)
  const { Pro, Free } = await plansByName(person)
  await buyPlan(server, person, Pro)
  for (const status of ['active', 'past_due']) {
    await server.db.pool.query('update subscriptions set status = $1', [status])
    await expect(setPlan(server.db.kysely, person.email, Free!.priceId)).rejects.toThrow('The account pays for Pro.')
  }
})
