import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { homeOf } from '../../../db/buckets.ts'
import { setSuspended } from '../../account/set-suspended.ts'
import { grantCredits } from '../../credits/grant.ts'
import { checkInvariants } from '../invariants.ts'
import { decodeReceiptId } from '../receipt-id.ts'
import { waitingCommits } from '../testing/count-sessions.ts'
import { forwardingPair, forwards, type Relay, relayTo, testSecret } from '../testing/forwarding.ts'
import { call, type Instance, type MeterFixture, meterFixture, recorded, tally } from '../testing/meter-fixture.ts'
import { wireTo } from '../testing/wire.ts'
import { forwardingOf } from './forwarding.ts'

let fixture: MeterFixture
const endings: (() => unknown)[] = []

beforeAll(async () => {
  fixture = await meterFixture()
})
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
  expect(await checkInvariants(fixture.db)).toEqual([])
})
afterAll(() => fixture.close())

async function pair(options: Parameters<typeof forwardingPair>[1] = {}) {
  const made = await forwardingPair(fixture, options)
  endings.push(made.place.close, made.owner.close, made.sender.close)
  return made
}

/** A pair whose connection can be cut, and whose messages can be lost. */
async function relayed(options: Parameters<typeof forwardingPair>[1] = {}) {
  let relay: Relay | undefined
  const made = await pair({
    ...options,
    through: async (path) => {
      relay = await relayTo(path)
      endings.push(relay.close)
      return relay.path
    },
  })
  return { ...made, relay: relay! }
}

/** Holds an account's lock until the returned function is called. */
async function lockAccount(accountId: number): Promise<() => Promise<unknown>> {
  const client = await (await homeOf(fixture.db, accountId)).pool.connect()
  await client.query('begin')
  await client.query('select 1 from credit_accounts where account_id = $1 for update', [accountId])
  return () => client.query('rollback').finally(() => client.release())
}

const waiting = () => waitingCommits(fixture.db)

const batchesOf = async (accountId: number): Promise<number> =>
  (
    await (
      await homeOf(fixture.db, accountId)
    ).pool.query('select count(distinct batch)::int as n from usage_events where account_id = $1', [accountId])
  ).rows[0].n

const unavailable = { name: 'AppError', code: 'metering_unavailable', status: 503, detail: { retryAfterSeconds: 1 } }

test('calls of two servers are committed in one batch', async () => {
  const { owner, sender } = await pair()
  const account = await fixture.account(100)
  const unlock = await lockAccount(account.accountId)
  const first = owner.meter.commit(call(account))
  await expect.poll(waiting).toBe(1)
  const before = sender.meter.figures()
  const rest = [sender, owner, sender].map(({ meter }) => meter.commit(call(account, { credits: 2 })))
  await expect.poll(() => sender.meter.figures().forwarded).toBe(before.forwarded + 2)
  await expect.poll(() => owner.meter.figures().waiting).toBe(4)
  await unlock()
  expect(tally(await Promise.all([first, ...rest]))).toEqual({ charged: 4 })
  expect(await batchesOf(account.accountId)).toBe(2)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 4, failed: 0, charged: 7 })
  expect(sender.meter.figures()).toEqual({ ...before, forwarded: before.forwarded + 2 })
})

test('200 parallel calls over two servers on 50 credits: exactly 50 charged', async () => {
  const { owner, sender } = await pair({ owner: { env: { METER_BATCHES: '3', METER_BATCH_SIZE: '7' } } })
  const account = await fixture.account(50)
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, (_, i) => (i % 2 ? owner : sender).meter.commit(call(account))),
  )
  expect(tally(outcomes)).toEqual({ charged: 50, insufficient_credits: 150 })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 50, failed: 0, charged: 50 })
})

test('the sender learns that an account is empty or suspended, and that it is no longer', async () => {
  const { sender } = await pair()
  const account = await fixture.account(1)
  const caller = { ...account, rateLimitPerMinute: null }
  const admitted = async () => {
    try {
      await sender.meter.admit(caller, 1)
      return 'admitted'
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  await sender.meter.commit(call(account))
  expect(await admitted()).toBe('admitted')
  expect(tally([await sender.meter.commit(call(account))])).toEqual({ insufficient_credits: 1 })
  expect(await admitted()).toBe('insufficient_credits')
  await grantCredits(fixture.db.kysely, { ...account, kind: 'topup', amount: 5, sourceType: 'test', sourceId: 'again' })
  await expect.poll(admitted).toBe('admitted')
  await setSuspended(fixture.db.kysely, account.accountId, true)
  // The news of the suspension may come after the refusal and void it.
  const refused = async () => {
    expect(tally([await sender.meter.commit(call(account))])).toEqual({ account_suspended: 1 })
    return admitted()
  }
  await expect.poll(refused).toBe('account_suspended')
})

test('a connection cut before the commit: the call is committed here, and never there', async () => {
  const { owner, sender, relay } = await relayed()
  const account = await fixture.account(10)
  const unlock = await lockAccount(account.accountId)
  const outcome = sender.meter.commit(call(account))
  await expect.poll(waiting).toBe(1)
  relay.cut()
  // The claim has come first once this server waits for the same lock.
  await expect.poll(waiting).toBe(2)
  await unlock()
  expect(await outcome).toMatchObject({ kind: 'charged', creditsRemaining: 9 })
  await expect.poll(() => owner.meter.figures().waiting).toBe(0)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged: 1 })
})

test('an answer lost after the commit: the recorded outcome is found, for calls, holds, settlements and releases', async () => {
  const { sender, relay } = await relayed()
  const account = await fixture.account(100)
  const [settled, released] = await Promise.all([0, 1].map(() => sender.meter.hold(account, { most: 10, seconds: 60 })))
  if (settled?.kind !== 'held' || released?.kind !== 'held') throw new Error('not held')
  const used = { key: 'used', requestHash: 'r' }
  const first = await sender.meter.commit(call(account, { idempotency: used }))
  const before = sender.meter.figures()
  relay.lose('answers')
  const outcomes = Promise.all([
    sender.meter.commit(call(account, { credits: 3 })),
    sender.meter.commit(call(account, { idempotency: used })),
    sender.meter.commit(call(account, { credits: 4, holdId: settled.id })),
    sender.meter.release(account, released.id),
    sender.meter.hold(account, { most: 5, seconds: 60 }),
    sender.meter.commit(call(account, { keyId: 777_777_777 })),
    sender.meter.commit(call(account, { status: 'failed' })),
  ])
  await expect.poll(async () => (await recorded(fixture, account.accountId)).failed).toBe(1)
  relay.cut()
  expect(await outcomes).toEqual([
    expect.objectContaining({ kind: 'charged', creditsCharged: 3, unlimited: false }),
    expect.objectContaining({ kind: 'replayed', receiptId: (first as { receiptId: string }).receiptId }),
    expect.objectContaining({ kind: 'charged', creditsCharged: 4 }),
    true,
    expect.objectContaining({ kind: 'held' }),
    expect.objectContaining({ kind: 'refused', code: 'key_invalid' }),
    expect.objectContaining({ kind: 'charged', creditsCharged: 0 }),
  ])
  expect(sender.meter.figures()).toEqual({ ...before, forwarded: before.forwarded + 7 })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 3, failed: 1, charged: 8 })
  await forwards(sender, account)
})

test('a parcel that never arrived is committed here', async () => {
  const { sender, relay } = await relayed()
  const account = await fixture.account(10)
  relay.lose('parcels')
  const outcome = sender.meter.commit(call(account))
  await expect.poll(() => sender.meter.figures().waiting).toBe(1)
  relay.cut()
  expect(await outcome).toMatchObject({ kind: 'charged', creditsRemaining: 9 })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged: 1 })
})

test('an owner that is silent is left before the call is too old', async () => {
  const { sender, relay } = await relayed({ sender: { limits: { callMs: 4_000 } } })
  const account = await fixture.account(10)
  relay.lose('answers')
  expect(await sender.meter.commit(call(account))).toMatchObject({ kind: 'charged', creditsRemaining: 9 })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged: 1 })
})

test('a charge that was found stays, although the owner gives its batch up', async () => {
  const { sender, relay } = await relayed()
  const account = await fixture.account(10)
  relay.lose('answers')
  const lost = sender.meter.commit(call(account, { credits: 4 }))
  await expect.poll(async () => (await recorded(fixture, account.accountId)).charged).toBe(4)
  relay.cut()
  const outcome = await lost
  if (outcome.kind !== 'charged') throw new Error('not charged')
  const home = (await homeOf(fixture.db, account.accountId)).kysely
  const { batch } = decodeReceiptId(outcome.receiptId)!
  await home.selectNoFrom(({ fn, val }) => fn('meter_void', [val(batch)]).as('x')).execute()
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 0, charged: 4 })
})

test('a call whose batch the owner has given up gets 503, and nothing is charged', async () => {
  const { sender, relay } = await relayed()
  const account = await fixture.account(10)
  relay.lose('answers')
  const lost = expect(sender.meter.commit(call(account, { credits: 4 }))).rejects.toMatchObject(unavailable)
  await expect.poll(async () => (await recorded(fixture, account.accountId)).charged).toBe(4)
  const home = await homeOf(fixture.db, account.accountId)
  const { rows } = await home.pool.query('select batch from usage_events where account_id = $1', [account.accountId])
  await home.pool.query('select meter_void($1)', [rows[0].batch])
  relay.cut()
  await lost
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 0, failed: 1, charged: 0 })
})

test('neither owner nor database answers: 503, and only that call is taken back, by the next server of the folder if need be', async () => {
  const wire = await wireTo(fixture.url)
  const { owner, relay, place } = await relayed()
  const data = join(place.dir, 'data')
  const account = await fixture.account(20)
  const env = { FINMETER_DATA_DIR: data }
  const other = await fixture.instance({
    databaseUrl: wire.url,
    env,
    limits: { callMs: 3_000, answerMs: 500, connectMs: 500 },
    forwarding: place.sender(relay.path),
  })
  await forwards(other, account)
  const unlock = await lockAccount(account.accountId)
  const first = owner.meter.commit(call(account))
  await expect.poll(waiting).toBe(1)
  relay.lose('answers')
  const lost = expect(other.meter.commit(call(account, { credits: 4 }))).rejects.toMatchObject(unavailable)
  const lostHold = expect(other.meter.hold(account, { most: 5, seconds: 60 })).rejects.toMatchObject(unavailable)
  await expect.poll(() => owner.meter.figures().waiting).toBe(3)
  const kept = owner.meter.commit(call(account, { credits: 2 }))
  await unlock()
  await Promise.all([first, kept])
  expect((await recorded(fixture, account.accountId)).charged).toBe(7)
  await wire.close()
  relay.cut()
  await Promise.all([lost, lostHold])
  expect(await readdir(join(data, 'given-up'))).toEqual([expect.stringMatching(/^m\d\d\.[0-9a-f-]{36}\.parcel$/)])
  await other.close()
  // Its charge of 4 and its hold of 5 come back; the others of its batch stay.
  const next = await fixture.instance({ env })
  await expect.poll(() => readdir(join(data, 'given-up'))).toEqual([])
  expect((await recorded(fixture, account.accountId)).charged).toBe(3)
  const { rows } = await (await homeOf(fixture.db, account.accountId)).pool.query(
    'select balance::int, (select count(*)::int from credit_holds h where h.account_id = a.account_id) as holds from credit_accounts a where account_id = $1',
    [account.accountId],
  )
  expect(rows).toEqual([{ balance: 17, holds: 0 }])
  await next.close()
}, 30_000)

test('an owner that stops sends calls back, and none fails', async () => {
  const { owner, sender } = await pair()
  const account = await fixture.account(10_000)
  let stopped = false
  const loop = async (): Promise<number> => {
    let charged = 0
    while (!stopped || charged < 20) {
      const { kind } = await sender.meter.commit(call(account))
      if (kind === 'charged') charged++
    }
    return charged
  }
  const loops = Promise.all(Array.from({ length: 20 }, loop))
  await expect.poll(() => sender.meter.figures().forwarded).toBeGreaterThan(100)
  await owner.close()
  stopped = true
  const charged = (await loops).reduce((sum, one) => sum + one, 0)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: charged, failed: 0, charged })
  expect(sender.meter.figures()).toMatchObject({ waiting: 0, unavailable: 0 })
})

// On Citus, the aids of the tests do not fit more buckets than the template has.
test.skipIf(process.env.CITUS_TESTS)(
  'with three buckets and two servers, each server commits for its buckets',
  async () => {
    const three = await meterFixture(3)
    endings.push(three.close)
    const { place } = await pair()
    const servers: Instance[] = []
    for (const number of [0, 1])
      servers.push(await three.instance({ forwarding: forwardingOf(place.dir, number, 2, testSecret) }))
    // One after the other: each goes to the emptiest bucket.
    const accounts = [await three.account(1_000), await three.account(1_000), await three.account(1_000)]
    expect(new Set(accounts.map(({ bucket }) => bucket))).toEqual(new Set([0, 1, 2]))
    for (const account of accounts) await forwards(servers[account.bucket % 2 ? 0 : 1]!, account)
    const before = servers.map(({ meter }) => meter.figures().forwarded)
    const outcomes = await Promise.all(
      servers.flatMap(({ meter }) => accounts.flatMap((account) => [0, 1].map(() => meter.commit(call(account))))),
    )
    expect(tally(outcomes)).toEqual({ charged: 12 })
    // Bucket 1 is the second server's, the others are the first's.
    expect(servers.map(({ meter }, i) => meter.figures().forwarded - before[i]!)).toEqual([2, 4])
    expect(await checkInvariants(three.db)).toEqual([])
  },
)
