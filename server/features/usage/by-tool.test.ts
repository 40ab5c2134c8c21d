import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, type MeterFixture, meterFixture, moveClock } from '../metering/testing/meter-fixture.ts'
import { recentByTool, usageByTool } from './by-tool.ts'

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

test('the tools of one key, failed calls included, until they are a week old', async () => {
  const { meter } = await fixture.instance()
  const account = await fixture.account(100)
  const shares = () => recentByTool(fixture.db.kysely, account.accountId, account.keyId)
  expect((await shares()).tools).toEqual([])
  await meter.commit(call(account, { toolId: 2, credits: 5 }))
  await meter.commit(call(account, { toolId: 1, credits: 1 }))
  await meter.commit(call(account, { toolId: 1, status: 'failed', credits: 0 }))
  await meter.commit(call(account, { toolId: 1, keyId: null, credits: 1 }))
  const { since, tools } = await shares()
  expect(tools).toEqual([
    { toolId: 1, calls: 2, failed: 1, credits: 1 },
    { toolId: 2, calls: 1, failed: 0, credits: 5 },
  ])
  const { rows } = await sql<{ days: number }>`
    select round(extract(epoch from app_now() - ${since}::timestamptz) / 86400)::int as days`.execute(fixture.db.kysely)
  expect(rows).toEqual([{ days: 7 }])
  await moveClock(fixture, '9 days')
  expect((await shares()).tools).toEqual([])
})
