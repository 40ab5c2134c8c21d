import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, type MeterFixture, meterFixture, moveClock } from '../metering/testing/meter-fixture.ts'
import { usageByTool } from './by-tool.ts'

let fixture: MeterFixture
beforeAll(async () => {
  fixture = await meterFixture()
})
afterAll(() => fixture.close())

test('a day begins at midnight UTC', async () => {
  const { meter } = await fixture.instance()
  const account = await fixture.account(10)
  await meter.commit(call(account, { credits: 2 }))
  await meter.commit(call(account, { status: 'failed', credits: 0 }))
  const today = () => usageByTool(fixture.db.kysely, account.accountId)
  expect(await today()).toEqual([{ toolId: 1, calls: 1, failed: 1, credits: 2 }])
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from date_trunc('day', app_now(), 'UTC') + interval '1 day' - app_now()))::int as seconds`.execute(
    fixture.db.kysely,
  )
  await moveClock(fixture, `${rows[0]!.seconds} seconds`)
  expect(await today()).toEqual([])
})
