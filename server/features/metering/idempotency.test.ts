import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { forgetOldCommits } from './forget.ts'
import { wasCharged } from './idempotency.ts'
import { checkInvariants } from './invariants.ts'
import type { MeteredCall } from './meter.ts'
import { decodeReceiptId } from './receipt-id.ts'
import {
  call,
  type Instance,
  type MeterFixture,
  meterFixture,
  moveClock,
  recorded,
  tally,
} from './testing/meter-fixture.ts'

let fixture: MeterFixture
let meter: Instance['meter']

beforeAll(async () => {
  fixture = await meterFixture()
  meter = (await fixture.instance()).meter
})
afterEach(async () => expect(await checkInvariants(fixture.db)).toEqual([]))
afterAll(() => fixture.close())

const keyed = (
  of: { accountId: number; keyId: number },
  key: string,
  requestHash: string,
  change: Partial<MeteredCall> = {},
) => call(of, { ...change, idempotency: { key, requestHash } })

test('50 parallel retries with one key, over two servers, are one charge with one receipt', async () => {
  const account = await fixture.account(10)
  const other = (await fixture.instance({ env: { METER_BATCHES: '2', METER_BATCH_SIZE: '5' } })).meter
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, i) => (i % 2 ? meter : other).commit(keyed(account, 'once', 'a'))),
  )
  expect(tally(outcomes)).toEqual({ charged: 1, replayed: 49 })
  expect(new Set(outcomes.map((one) => one.kind !== 'refused' && one.receiptId)).size).toBe(1)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged: 1 })
})

test('the same key with another request is refused', async () => {
  const account = await fixture.account(10)
  await meter.commit(keyed(account, 'k', 'a'))
  expect(await meter.commit(keyed(account, 'k', 'b'))).toEqual({
    kind: 'refused',
    code: 'idempotency_mismatch',
    creditsRemaining: 9,
  })
})

test('a key is scoped to its account', async () => {
  const [one, two] = [await fixture.account(10), await fixture.account(10)]
  const outcomes = await Promise.all(
    [one, two].map((account) => meter.commit(keyed(account, 'shared', account.accountId.toString()))),
  )
  expect(tally(outcomes)).toEqual({ charged: 2 })
})

test('a repeat is free although the account is empty now; a new key is refused before work', async () => {
  const account = await fixture.account(1)
  const first = await meter.commit(keyed(account, 'last credit', 'a'))
  const caller = { ...account, rateLimitPerMinute: null }
  const refused = () =>
    Promise.resolve()
      .then(() => meter.admit(caller, 1))
      .then(
        () => false,
        () => true,
      )
  // Until the refusal is cached: the notification of the account's first grant may arrive in between.
  while (!(await refused())) await meter.commit(call(account))
  await expect(async () => meter.admit(caller, 1)).rejects.toMatchObject({ code: 'insufficient_credits', status: 402 })
  await expect(async () => meter.admit(caller, 1, 'never charged')).rejects.toMatchObject({
    code: 'insufficient_credits',
  })
  await expect(Promise.resolve(meter.admit(caller, 1, 'last credit'))).resolves.toBeNull()
  const again = await meter.commit(keyed(account, 'last credit', 'a'))
  expect(again).toMatchObject({
    kind: 'replayed',
    creditsCharged: 0,
    receiptId: first.kind === 'charged' && first.receiptId,
  })
})

test('a failed or refused call does not use up its key', async () => {
  const account = await fixture.account(5)
  await meter.commit(keyed(account, 'k', 'a', { status: 'failed' }))
  expect(await meter.commit(keyed(account, 'k', 'a', { credits: 6 }))).toMatchObject({ code: 'insufficient_credits' })
  expect(await meter.commit(keyed(account, 'k', 'a', { credits: 2 }))).toMatchObject({ kind: 'charged' })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 1, charged: 2 })
})

test('keys have 1 to 200 characters, of any kind', async () => {
  const account = await fixture.account(5)
  expect(await meter.commit(keyed(account, '🔑'.repeat(100), 'a'))).toMatchObject({ kind: 'charged' })
  await expect(meter.commit(keyed(account, '', 'a'))).rejects.toMatchObject({
    code: 'invalid_parameter',
    detail: { param: 'Idempotency-Key' },
  })
  await expect(meter.commit(keyed(account, 'x'.repeat(201), 'a'))).rejects.toMatchObject({ code: 'invalid_parameter' })
})

test('the result of a batch is kept for six hours, for servers that lost it', async () => {
  const account = await fixture.account(5)
  const outcome = await meter.commit(call(account))
  const { batch } = decodeReceiptId(outcome.kind === 'charged' ? outcome.receiptId : '')!
  const kept = async () =>
    (await sql`select from meter_batches where id = ${batch}`.execute(fixture.db.of(account.bucket).kysely)).rows.length
  await moveClock(fixture, '5 hours 59 minutes')
  await forgetOldCommits(fixture.db)
  expect(await kept()).toBe(1)
  await moveClock(fixture, '6 hours 1 second')
  await forgetOldCommits(fixture.db)
  expect(await kept()).toBe(0)
  await moveClock(fixture, '0')
})

test('keys expire after 24 hours and are deleted', async () => {
  const account = await fixture.account(5)
  const first = await meter.commit(keyed(account, 'k', 'a'))
  await moveClock(fixture, '23 hours 59 minutes')
  await forgetOldCommits(fixture.db)
  const known = () => wasCharged(fixture.db.of(account.bucket), account.accountId, 'k')
  expect(await known()).toBe(true)
  expect(await meter.commit(keyed(account, 'k', 'a'))).toMatchObject({ kind: 'replayed' })
  await moveClock(fixture, '24 hours 1 second')
  expect(await known()).toBe(false)
  const second = await meter.commit(keyed(account, 'k', 'other request'))
  expect(second.kind === 'charged' && second.receiptId).not.toBe(first.kind === 'charged' && first.receiptId)
  expect(await meter.commit(keyed(account, 'k', 'other request'))).toMatchObject({ kind: 'replayed' })
  await moveClock(fixture, '50 hours')
  expect((await forgetOldCommits(fixture.db)).idempotencyKeys).toBeGreaterThan(0)
  expect(await fixture.db.kysely.selectFrom('idempotency').selectAll().execute()).toEqual([])
  await moveClock(fixture, '0')
})
