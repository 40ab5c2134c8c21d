import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { buyPlan, plansByName } from '../../billing/testing/billing.ts'
import { actFromCommandLine } from './act-on-account.ts'
import { setPlan } from './set-plan.ts'

const server = await closeAfterTests(startTestServer())
const set = async (email: string, wanted: string) =>
  (await actFromCommandLine(server.db, email, { action: 'plan.set', reason: 'test' }, (tx, found) =>
    setPlan(tx, found, wanted),
  ))!.after

test('a plan is named by its name, which means its monthly price, or by the id of a price', async () => {
  const person = await startSession(server)
  const { Pro } = await plansByName(person)
  const priceOf = async () =>
    (await server.db.pool.query("select price_id from subscriptions where source = 'free'")).rows
  for (const named of ['pro', Pro!.priceId])
    expect([(await set(person.email, named)).plan, await priceOf()]).toEqual(['Pro', [{ price_id: Pro!.priceId }]])
  await expect(set(person.email, 'Platinum')).rejects.toThrow(
    /^There is no plan Platinum\. Known: .*Free.*Pro.*, and the ids of their prices\.$/,
  )
})

test('a plan that is paid for, even late, is left to the payment provider', async () => {
  const person = await startSession(server)
  const { Pro, Free } = await plansByName(person)
  await buyPlan(server, person, Pro)
  for (const status of ['active', 'past_due']) {
    await server.db.pool.query('update subscriptions set status = $1', [status])
    await expect(set(person.email, Free!.priceId)).rejects.toThrow('The account pays for Pro.')
  }
})
