import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { grantCredits } from '../credits/grant.ts'
import { charging } from '../metering/charging.ts'

const server = await closeAfterTests(startTestServer())

interface Day {
  date: string
  remaining: number
  spent: number
}
const history = async (person: TestSession): Promise<Day[]> =>
  (await person.call('GET', '/api/billing/credits/history')).body.data.days

const accountOf = async (person: TestSession): Promise<number> => {
  const { workspace } = (await person.call('GET', '/api/auth/profile')).body.data
  const { rows } = await server.db.pool.query('select id from accounts where public_id = $1', [workspace.id])
  return rows[0].id
}
const spend = (accountId: number, credits: number) =>
  server.deps.meter[charging].commit({
    accountId,
    bucket: 0,
    keyId: null,
    toolId: 1,
    credits,
    status: 'success',
    durationMs: 1,
  })

test('92 days up to today, empty before anything was granted', async () => {
  const days = await history(await startSession(server))
  expect(days).toHaveLength(92)
  expect(days.at(-1)?.date).toBe(new Date().toISOString().slice(0, 10))
  expect(days.every(({ remaining, spent }) => remaining === 0 && spent === 0)).toBe(true)
})

test('each day ends with the balance after grants, spending and expiry', async () => {
  const person = await startSession(server)
  const accountId = await accountOf(person)
  const day = async (offsetDays: number) =>
    server.db.pool.query(
      `insert into app_clock (offset_by) values ($1 * interval '1 day')
       on conflict (only_row) do update set offset_by = excluded.offset_by`,
      [offsetDays],
    )
  const grant = async (amount: number, sourceId: string, expiresInDays?: number) => {
    const { rows } = await server.db.pool.query('select app_now() as now')
    await grantCredits(server.db.kysely, {
      accountId,
      kind: 'promo',
      amount,
      sourceType: 'test',
      sourceId: `${accountId}-${sourceId}`,
      ...(expiresInDays !== undefined && { expiresAt: new Date(rows[0].now.getTime() + expiresInDays * 86_400_000) }),
    })
  }
  try {
    await day(-3)
    await grant(100, 'a')
    await spend(accountId, 10)
    await day(-2)
    await grant(50, 'b', 1)
    await spend(accountId, 5)
    // 'b' burned 5 first, since it expires first; its other 45 expire the next day.
    await day(-1)
    await history(person)
    await day(0)
    await spend(accountId, 7)
    const last = (await history(person)).slice(-5)
    expect(last.map(({ remaining, spent }) => [remaining, spent])).toEqual([
      [0, 0],
      [90, 10],
      [135, 5],
      [90, 0],
      [83, 7],
    ])
    const { credits } = (await person.call('GET', '/api/billing/credits')).body.data
    expect(last.at(-1)?.remaining).toBe(credits.remaining)
  } finally {
    await server.db.pool.query('delete from app_clock')
  }
})

test("another workspace's credits are not shown", async () => {
  const person = await startSession(server)
  const stranger = await startSession(server)
  await grantCredits(server.db.kysely, {
    accountId: await accountOf(stranger),
    kind: 'promo',
    amount: 9,
    sourceType: 'test',
    sourceId: 'foreign',
  })
  expect((await history(person)).at(-1)?.remaining).toBe(0)
  expect((await history(stranger)).at(-1)?.remaining).toBe(9)
})
