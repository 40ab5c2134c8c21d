import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, type MeterFixture, meterFixture, moveClockTo } from '../../metering/testing/meter-fixture.ts'
import { usedSince } from './used-since.ts'

let fixture: MeterFixture
beforeAll(async () => {
  fixture = await meterFixture()
})
afterAll(() => fixture.close())

test('a period that begins within an hour counts the calls of that hour from then on', async () => {
  const { meter } = await fixture.instance()
  const account = await fixture.account(100)
  for (const [at, credits] of [
    ['10:20', 1],
    ['10:29', 2],
    ['10:31', 4],
    ['10:59', 8],
    ['11:10', 16],
  ] as const) {
    await moveClockTo(fixture, new Date(`2027-02-28T${at}:00Z`))
    await meter.commit(call(account, { credits }))
  }
  const { kysely } = fixture.db.of(account.bucket)
  expect(await usedSince(kysely, account.accountId, new Date('2027-02-28T10:30:00Z'))).toBe(28)
})
