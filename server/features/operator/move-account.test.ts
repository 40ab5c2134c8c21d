import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { homeOf } from '../../db/buckets.ts'
import { readBalance } from '../credits/balance.ts'
import { grantCredits } from '../credits/grant.ts'
import { settleAccounts } from '../credits/settle.ts'
import { foldUsage, rollUsage } from '../metering/fold.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { call, type MeterFixture, meterFixture, moveClock, recorded, tally } from '../metering/testing/meter-fixture.ts'
import { moveAccount } from './move-account.ts'

let fixture: MeterFixture
beforeAll(async () => {
  fixture = await meterFixture(3)
})
afterAll(() => fixture.close())

const publicId = 'its id'
const other = (bucket: number): number => (bucket + 1) % 3
const rowsIn = async (bucket: number, accountId: number): Promise<Record<string, number>> => {
  const { rows } = await sql<{ counts: Record<string, number> }>`
    select json_build_object('account', (select count(*) from credit_accounts where abs(account_id) = ${accountId}),
      'grants', (select count(*) from credit_grants where abs(account_id) = ${accountId}), 'ledger', (select count(*) from credit_ledger where account_id = ${accountId}),
      'keys', (select count(*) from meter_keys where account_id = ${accountId}), 'calls', (select count(*) from usage_events where account_id = ${accountId}),
      'days', (select count(*) from usage_daily where account_id = ${accountId})) as counts`.execute(
    fixture.db.of(bucket).kysely,
  )
  return rows[0]!.counts
}
const balanceOf = async (accountId: number) =>
  (await readBalance((await homeOf(fixture.db, accountId)).kysely, accountId)).remaining

test('everything of an account moves: calls, sums, grants, ledger, keys, holds, idempotency keys', async () => {
  const account = await fixture.account(50)
  const { meter } = await fixture.instance()
  const keyed = call(account, { idempotency: { key: 'once', requestHash: 'r' } })
  const first = await meter.commit(keyed)
  for (let i = 0; i < 9; i++) await meter.commit(call(account, { credits: 2 }))
  await foldUsage(fixture.db)
  await moveClock(fixture, '1 hour')
  await rollUsage(fixture.db)
  await settleAccounts(fixture.db)
  const hold = await meter.hold(account, { most: 5, seconds: 600 })
  const before = await rowsIn(account.bucket, account.accountId)
  expect(before).toMatchObject({ account: 1, grants: 1, keys: 1, calls: 10, days: 1 })
  expect(await balanceOf(account.accountId)).toBe(26)

  const to = other(account.bucket)
  await moveAccount(fixture.db, { id: account.accountId, publicId }, to)
  expect(await rowsIn(to, account.accountId)).toEqual(before)
  expect(Object.values(await rowsIn(account.bucket, account.accountId))).toEqual([0, 0, 0, 0, 0, 0])
  expect(await balanceOf(account.accountId)).toBe(26)
  // The server still takes the old bucket for its home.
  expect(await meter.commit(keyed)).toMatchObject({
    kind: 'replayed',
    receiptId: (first as { receiptId: string }).receiptId,
  })
  if (hold?.kind === 'held') await meter.release(account, hold.id)
  expect(await balanceOf(account.accountId)).toBe(31)
  expect(await meter.commit(call(account, { credits: 31 }))).toMatchObject({ kind: 'charged', creditsRemaining: 0 })
  await moveClock(fixture, '0')
  expect(await checkInvariants(fixture.db)).toEqual([])
})

test('an account that moves back and forth while four servers charge it: each call is charged once, none is refused', async () => {
  const account = await fixture.account(100_000)
  const bystander = await fixture.account(100_000)
  const servers = await Promise.all(Array.from({ length: 4 }, () => fixture.instance()))
  let moving = true
  const outcomes: Awaited<ReturnType<(typeof servers)[0]['meter']['commit']>>[] = []
  const load = servers.map(async ({ meter }) => {
    while (moving)
      outcomes.push(
        ...(await Promise.all([
          meter.commit(call(account)),
          meter.commit(call(account, { status: 'failed' })),
          meter.commit(call(bystander)),
        ])),
      )
  })
  const { accountId, bucket } = account
  for (const to of [other(bucket), other(other(bucket)), bucket, other(bucket)]) {
    const before = outcomes.length
    await expect.poll(() => outcomes.length).toBeGreaterThan(before + 12)
    await moveAccount(fixture.db, { id: accountId, publicId }, to)
  }
  moving = false
  await Promise.all(load)
  expect(Object.keys(tally(outcomes))).toEqual(['charged'])
  const calls = outcomes.length / 3
  for (const one of [account, bystander])
    expect(await recorded(fixture, one.accountId)).toEqual({
      success: calls,
      failed: one === account ? calls : 0,
      charged: calls,
    })
  expect(await balanceOf(accountId)).toBe(100_000 - calls)
  expect(await checkInvariants(fixture.db)).toEqual([])
})

test('grants made while an account moves are neither lost nor doubled', async () => {
  const { accountId, bucket } = await fixture.account(10)
  let moving = true
  let granted = 0
  const grants = (async () => {
    for (; moving; granted++)
      await fixture.db.kysely
        .transaction()
        .execute((tx) =>
          grantCredits(tx, { accountId, kind: 'promo', amount: 1, sourceType: 'test', sourceId: `during ${granted}` }),
        )
  })()
  for (const to of [other(bucket), bucket, other(bucket)])
    await moveAccount(fixture.db, { id: accountId, publicId }, to)
  moving = false
  await grants
  expect(granted).toBeGreaterThan(0)
  expect(await balanceOf(accountId)).toBe(10 + granted)
  expect(await checkInvariants(fixture.db)).toEqual([])
})

test('a charge that is taken back after the move is taken back where the account is', async () => {
  const account = await fixture.account(10)
  const { meter } = await fixture.instance()
  await meter.commit(call(account, { credits: 4 }))
  const { rows } = await sql<{
    batch: string
  }>`select batch from usage_events where account_id = ${account.accountId}`.execute(fixture.db.kysely)
  await moveAccount(fixture.db, { id: account.accountId, publicId }, other(account.bucket))
  await sql`select ${sql.id(`m0${account.bucket}`, 'meter_void')}(${rows[0]!.batch})`.execute(fixture.db.kysely)
  const { voidWhereMoved } = await import('../metering/void-moved.ts')
  for (let times = 0; times < 2; times++) await voidWhereMoved(fixture.db, account.bucket, rows[0]!.batch)
  expect(await balanceOf(account.accountId)).toBe(10)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 0, failed: 1, charged: 0 })
  expect(await checkInvariants(fixture.db)).toEqual([])
})

test('an account in the wrong bucket is a violation', async () => {
  const { accountId, bucket } = await fixture.account(10)
  await sql`update accounts set bucket = ${other(bucket)} where id = ${accountId}`.execute(fixture.db.kysely)
  expect((await checkInvariants(fixture.db)).map(({ invariant }) => invariant)).toContain('I9')
  await sql`update accounts set bucket = ${bucket} where id = ${accountId}`.execute(fixture.db.kysely)
  expect(await checkInvariants(fixture.db)).toEqual([])
})

test('bad requests are refused with a way forward', async () => {
  const { accountId: id, bucket } = await fixture.account(1)
  await expect(moveAccount(fixture.db, { id, publicId }, 7)).rejects.toThrow(
    'There is no bucket 7. npm run admin -- buckets lists them.',
  )
  await sql`insert into bucket_moves (account_id, from_bucket, to_bucket) values (${id}, ${bucket}, ${other(bucket)})`.execute(
    fixture.db.kysely,
  )
  await expect(moveAccount(fixture.db, { id, publicId }, other(other(bucket)))).rejects.toThrow(
    `Finish that first: npm run admin -- buckets move its id ${other(bucket)}`,
  )
  await sql`delete from bucket_moves where account_id = ${id}`.execute(fixture.db.kysely)
  const lines: string[] = []
  await moveAccount(fixture.db, { id, publicId }, bucket, (line) => lines.push(line))
  expect(lines).toEqual([`The account is in bucket m0${bucket}.`])
})
