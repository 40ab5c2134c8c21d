import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { homeOf } from '../../db/buckets.ts'
import { openDatabase } from '../../db/database.ts'
import { freePort } from '../../db/embedded.ts'
import { readBalance } from '../credits/balance.ts'
import { settleAccounts } from '../credits/settle.ts'
import { endExpiredHolds } from './holds.ts'
import { checkInvariants } from './invariants.ts'
import { countSessions, waitingCommits } from './testing/count-sessions.ts'
import { call, type MeterFixture, meterFixture, moveClock, recorded, tally } from './testing/meter-fixture.ts'
import { wireTo } from './testing/wire.ts'

let fixture: MeterFixture

beforeAll(async () => {
  fixture = await meterFixture()
})
afterEach(async () => expect(await checkInvariants(fixture.db)).toEqual([]))
afterAll(() => fixture.close())

const unavailable = { name: 'AppError', code: 'metering_unavailable', status: 503, detail: { retryAfterSeconds: 1 } }

/** Holds an account's lock until the returned function is called. */
async function lockAccount(accountId: number): Promise<() => Promise<unknown>> {
  const client = await (await homeOf(fixture.db, accountId)).pool.connect()
  await client.query('begin')
  await client.query('select 1 from credit_accounts where account_id = $1 for update', [accountId])
  return () => client.query('rollback').finally(() => client.release())
}

const waiting = () => waitingCommits(fixture.db)

const charged = async (accountId: number): Promise<number> => (await recorded(fixture, accountId)).charged

test('the backend is killed during the commit: the outcome is resolved, nothing is charged twice', async () => {
  const account = await fixture.account(10)
  const { meter } = await fixture.instance()
  const unlock = await lockAccount(account.accountId)
  const outcomes = Promise.all([meter.commit(call(account)), meter.commit(call(account))])
  await expect.poll(waiting).toBe(1)
  await countSessions(fixture.db, 'pg_terminate_backend(pid)', "application_name = 'finmeter-meter'")
  await unlock()
  expect(tally(await outcomes)).toEqual({ charged: 2 })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 2, failed: 0, charged: 2 })
})

test('the response is lost after the commit: the recorded outcome is fetched, not repeated', async () => {
  const account = await fixture.account(10)
  const wire = await wireTo(fixture.url)
  const { meter, close } = await fixture.instance({ databaseUrl: wire.url })
  await meter.commit(call(account))
  wire.loseAnswers()
  const late = meter.commit(call(account))
  await expect.poll(() => charged(account.accountId)).toBe(2)
  wire.mend()
  wire.cut()
  expect(await late).toMatchObject({ kind: 'charged', creditsRemaining: 8 })
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 2, failed: 0, charged: 2 })
  await close()
  await wire.close()
})

test.each([
  { settled: false, name: 'still unsettled' },
  { settled: true, name: 'already settled into the ledger' },
])('no outcome before the deadline: 503, and the charge is taken back ($name)', async ({ settled }) => {
  const account = await fixture.account(10)
  const wire = await wireTo(fixture.url)
  const { meter, close } = await fixture.instance({
    databaseUrl: wire.url,
    limits: { callMs: 2_000, answerMs: 500, connectMs: 1_000 },
  })
  await meter.commit(call(account))
  wire.loseAnswers()
  const lost = expect(
    meter.commit(call(account, { credits: 4, idempotency: { key: 'k', requestHash: 'r' } })),
  ).rejects.toMatchObject(unavailable)
  await expect.poll(() => charged(account.accountId)).toBe(5)
  if (settled) await settleAccounts(fixture.db)
  await lost
  expect(await charged(account.accountId)).toBe(5)
  wire.mend()
  wire.cut()
  await expect.poll(() => charged(account.accountId)).toBe(1)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 1, charged: 1 })
  expect((await readBalance(fixture.db.kysely, account.accountId)).remaining).toBe(9)
  const retry = await meter.commit(call(account, { credits: 4, idempotency: { key: 'k', requestHash: 'r' } }))
  expect(retry).toMatchObject({ kind: 'charged', creditsRemaining: 5 })
  await settleAccounts(fixture.db)
  await close()
  await wire.close()
})

const voided = async (): Promise<number> =>
  (await fixture.db.pool.query('select count(*)::int as n from meter_batches where voided')).rows[0].n

/** A server that never receives responses, and a call of 4 credits that gets 503 although it was charged. */
async function chargedAndRefused(dir: string) {
  const account = await fixture.account(10)
  const wire = await wireTo(fixture.url)
  const { meter, close } = await fixture.instance({
    env: { FINMETER_DATA_DIR: dir },
    databaseUrl: wire.url,
    limits: { callMs: 2_000, answerMs: 500, connectMs: 1_000 },
  })
  await meter.commit(call(account))
  wire.loseAnswers()
  const keyed = call(account, { credits: 4, idempotency: { key: 'k', requestHash: 'r' } })
  await expect(meter.commit(keyed)).rejects.toMatchObject(unavailable)
  expect(await charged(account.accountId)).toBe(5)
  const before = await voided()
  const heal = async () => {
    wire.mend()
    wire.cut()
    await expect.poll(voided).toBeGreaterThan(before)
    await close()
    await wire.close()
  }
  return { account, keyed, heal }
}

test('a charge that a repeat was answered from is not taken back: its receipt stays valid', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-given-up-'))
  const { account, keyed, heal } = await chargedAndRefused(dir)
  const other = (await fixture.instance()).meter
  const plain = await other.commit(call(account, { credits: 2 }))
  const repeat = await other.commit(keyed)
  expect([plain.kind, repeat]).toMatchObject(['charged', { kind: 'replayed', creditsCharged: 0, creditsRemaining: 3 }])
  await heal()
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 3, failed: 0, charged: 7 })
  expect(await other.commit(keyed)).toEqual(repeat)
  expect((await readBalance(fixture.db.kysely, account.accountId)).remaining).toBe(3)
  await rm(dir, { recursive: true })
})

test('charges that a killed server could not take back are taken back by the next one in its data directory', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-given-up-'))
  const { account, keyed, heal } = await chargedAndRefused(dir)
  expect(await readdir(join(dir, 'given-up'))).toHaveLength(1)
  await writeFile(join(dir, 'given-up', 'no batch'), '')
  const next = (await fixture.instance({ env: { FINMETER_DATA_DIR: dir } })).meter
  await expect.poll(() => charged(account.accountId)).toBe(1)
  await expect.poll(() => readdir(join(dir, 'given-up'))).toHaveLength(1)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 1, charged: 1 })
  expect(await next.commit(keyed)).toMatchObject({ kind: 'charged', creditsRemaining: 5 })
  // The first one was only disconnected, and voids the same batch again.
  await heal()
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 2, failed: 1, charged: 5 })
  await rm(dir, { recursive: true })
})

test('without a writable folder only the process remembers', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-given-up-'))
  await writeFile(join(dir, 'given-up'), 'a file in the way')
  const { account, heal } = await chargedAndRefused(dir)
  await heal()
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 1, failed: 1, charged: 1 })
  await rm(dir, { recursive: true })
})

test('a batch that was given up before it arrived never takes effect', async () => {
  const account = await fixture.account(10)
  const batch = '00000000-0000-0000-0000-00000000beef'
  const home = (await homeOf(fixture.db, account.accountId)).kysely
  const commit = () =>
    sql`select meter_commit(${batch}, ${[account.accountId]}, '{1}', ${[account.accountId]}, '{0}', '{2}', '{1}', '{1}', '{0}',
      ${[account.accountId]}, '{0}', '{1}', '{t}', '{1}', '{1}', null, null)`.execute(home)
  await sql`select meter_void(${batch}), meter_void(${batch})`.execute(home)
  await expect(commit()).rejects.toThrow('given up')
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 0, failed: 0, charged: 0 })
})

test('a call that PostgreSQL cannot take fails alone', async () => {
  const accounts = await Promise.all(Array.from({ length: 9 }, () => fixture.account(5)))
  const { meter } = await fixture.instance()
  const bad = call(accounts[4]!, { toolId: 99_999 })
  // Of some accounts several calls, so that batches are divided within an account, too.
  const calls = accounts.flatMap((account, i) =>
    i === 4 ? [bad] : Array.from({ length: 1 + (i % 4) }, () => call(account)),
  )
  const outcomes = await Promise.allSettled(calls.map((one) => meter.commit(one)))
  for (const [i, one] of calls.entries())
    expect(outcomes[i]).toMatchObject(one === bad ? { reason: unavailable } : { value: { kind: 'charged' } })
  expect((await readBalance(fixture.db.kysely, bad.accountId)).remaining).toBe(5)
})

test.each([
  { limit: 'lock', limits: { lockMs: 1_000 } },
  { limit: 'statement', limits: { lockMs: 0, statementMs: 1_000 } },
])('an account that stays locked is refused by the $limit timeout, its neighbors are served', async ({ limits }) => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => fixture.account(5)))
  const locked = accounts[2] ?? { accountId: 0, keyId: 0 }
  const { meter } = await fixture.instance({ limits })
  // Connecting takes some of a call's time, so it comes first.
  await meter.commit(call(accounts[0] ?? locked))
  const unlock = await lockAccount(locked.accountId)
  const outcomes = await Promise.allSettled(accounts.map((account) => meter.commit(call(account))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[2]).toMatchObject({ reason: unavailable })
  await unlock()
  expect(await recorded(fixture, locked.accountId)).toEqual({ success: 0, failed: 0, charged: 0 })
  expect(await meter.commit(call(locked))).toMatchObject({ kind: 'charged' })
})

// Citus distributes no table with triggers.
test.skipIf(process.env.CITUS_TESTS)(
  'a repeat is refused while the batch itself is still at work: its outcome is awaited, and the call is served',
  async () => {
    const account = await fixture.account(5)
    const { kysely, pool } = await homeOf(fixture.db, account.accountId)
    await sql`
      create function slow() returns trigger language plpgsql as $$ begin
        perform set_config('lock_timeout', '0', true), pg_advisory_xact_lock(29);
        return null;
      end $$;
      create trigger slow after insert on usage_events for each statement execute function slow()`.execute(kysely)
    const client = await pool.connect()
    await client.query('select pg_advisory_lock(29)')
    const wire = await wireTo(fixture.url)
    const limits = { lockMs: 500, statementMs: 20_000, answerMs: 25_000, callMs: 20_000 }
    const { meter, close } = await fixture.instance({ databaseUrl: wire.url, limits })
    const outcome = meter.commit(call(account))
    await expect.poll(waiting).toBe(1)
    wire.cut()
    // The repeat waits for the account, until it may wait no longer.
    await expect.poll(waiting).toBe(2)
    await Promise.race([outcome.catch(() => {}), expect.poll(waiting).toBe(1)])
    await client.query('select pg_advisory_unlock(29)')
    client.release()
    expect(await outcome).toMatchObject({ kind: 'charged', creditsRemaining: 4 })
    await sql`drop trigger slow on usage_events; drop function slow`.execute(kysely)
    await close()
    await wire.close()
  },
)

test('without a database every call answers 503', async () => {
  const db = openDatabase(`postgres://nobody@127.0.0.1:${await freePort()}/none`, 4, () => {})
  const { meter } = await fixture.instance({ databaseUrl: db.pool.options.connectionString, limits: { callMs: 300 } })
  await expect(meter.commit(call({ accountId: 1, keyId: 1 }))).rejects.toMatchObject(unavailable)
  await db.close()
})

test('a full queue refuses at once; closing answers what waits, then refuses', async () => {
  const account = await fixture.account(100)
  const { meter } = await fixture.instance({ limits: { maxQueued: 10 } })
  const outcomes = Promise.allSettled(Array.from({ length: 25 }, () => meter.commit(call(account))))
  await meter.close()
  expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 10, failed: 0, charged: 10 })
  await expect(meter.commit(call(account))).rejects.toMatchObject(unavailable)
})

test('pay-as-you-go that is taken back is not billed', async () => {
  const { accountId } = await fixture.account()
  const { kysely } = await homeOf(fixture.db, accountId)
  await sql`update credit_accounts set payg_enabled = true, payg_left = 10 where account_id = ${accountId}`.execute(
    kysely,
  )
  const batch = '00000000-0000-0000-0000-00000000feed'
  await sql`select meter_commit(${batch}, ${[accountId]}, '{2}', ${[accountId]}, '{0}', '{2}', '{2}', '{1}', '{0}',
    ${[accountId]}, '{0}', '{2}', '{t}', '{1}', '{1}', null, null)`.execute(kysely)
  const payg = async () =>
    (await sql`select payg_left, payg_used from credit_accounts where account_id = ${accountId}`.execute(kysely)).rows
  expect(await payg()).toEqual([{ payg_left: 8, payg_used: 2 }])
  await sql`select meter_void(${batch})`.execute(kysely)
  expect(await payg()).toEqual([{ payg_left: 10, payg_used: 0 }])
})

const openHolds = async (accountId: number): Promise<number> =>
  (await fixture.db.pool.query('select count(*)::int as n from credit_holds where account_id = $1', [accountId]))
    .rows[0].n

/** A server that loses responses soon, and knows quickly that it has. */
async function deafServer() {
  const wire = await wireTo(fixture.url)
  const instance = await fixture.instance({
    databaseUrl: wire.url,
    limits: { callMs: 2_000, answerMs: 500, connectMs: 1_000 },
  })
  const heal = () => {
    wire.mend()
    wire.cut()
  }
  const end = async () => {
    await instance.close()
    await wire.close()
  }
  return { meter: instance.meter, wire, heal, end }
}

test.each(['still held', 'charged at its expiry', 'settled into the ledger'])(
  'the response to a hold is lost: 503, and no hold is left (%s)',
  async (meanwhile) => {
    const account = await fixture.account(10)
    const { meter, wire, heal, end } = await deafServer()
    await meter.commit(call(account))
    wire.loseAnswers()
    const lost = expect(
      meter.hold(account, { most: 6, seconds: 60, onExpiry: 'charge', toolId: 1 }),
    ).rejects.toMatchObject(unavailable)
    await expect.poll(() => openHolds(account.accountId)).toBe(1)
    if (meanwhile === 'settled into the ledger') await settleAccounts(fixture.db)
    await lost
    expect((await readBalance(fixture.db.kysely, account.accountId)).remaining).toBe(3)
    if (meanwhile === 'charged at its expiry') {
      await moveClock(fixture, '2 minutes')
      await endExpiredHolds(fixture.db)
      expect(await charged(account.accountId)).toBe(7)
    }
    heal()
    await expect.poll(async () => (await readBalance(fixture.db.kysely, account.accountId)).remaining).toBe(9)
    expect(await openHolds(account.accountId)).toBe(0)
    expect(await charged(account.accountId)).toBe(1)
    await sql`delete from app_clock`.execute(fixture.db.kysely)
    await end()
  },
)

test('the response to a settlement is lost: 503, and hold and charge are returned', async () => {
  const account = await fixture.account(10)
  const { meter, wire, heal, end } = await deafServer()
  const outcome = await meter.hold(account, { most: 6, seconds: 60 })
  const holdId = outcome?.kind === 'held' ? outcome.id : ''
  wire.loseAnswers()
  const lost = expect(meter.commit(call(account, { credits: 4, holdId }))).rejects.toMatchObject(unavailable)
  await expect.poll(() => charged(account.accountId)).toBe(4)
  await lost
  heal()
  await expect.poll(() => charged(account.accountId)).toBe(0)
  await end()
  expect(await openHolds(account.accountId)).toBe(0)
  expect((await readBalance(fixture.db.kysely, account.accountId)).remaining).toBe(10)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: 0, failed: 1, charged: 0 })
  // Sent again, it is decided on what the account has.
  const { meter: other } = await fixture.instance()
  expect(await other.commit(call(account, { credits: 4, holdId }))).toMatchObject({ creditsRemaining: 6 })
})

test('the response to a hold and its settlement arrive at the second attempt: each took effect once', async () => {
  const account = await fixture.account(10)
  const { meter, wire, heal, end } = await deafServer()
  await meter.commit(call(account, { credits: 0 }))
  const attempt = async <T>(act: () => Promise<T>, done: () => Promise<boolean>): Promise<T> => {
    wire.loseAnswers()
    const late = act()
    await expect.poll(done).toBe(true)
    heal()
    return late
  }
  const held = await attempt(
    () => meter.hold(account, { most: 6, seconds: 60 }),
    async () => (await openHolds(account.accountId)) === 1,
  )
  const holdId = held?.kind === 'held' ? held.id : ''
  const settled = await attempt(
    () => meter.commit(call(account, { credits: 4, holdId })),
    async () => (await charged(account.accountId)) === 4,
  )
  expect(settled).toMatchObject({ kind: 'charged', creditsCharged: 4, creditsRemaining: 6 })
  expect(await openHolds(account.accountId)).toBe(0)
  await end()
})

test('one entry that PostgreSQL refuses spares the holds and settlements beside it', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => fixture.account(10)))
  const { meter } = await fixture.instance()
  const outcome = await meter.hold(accounts[0]!, { most: 6, seconds: 60 })
  const outcomes = await Promise.allSettled([
    meter.commit(call(accounts[0]!, { credits: 4, holdId: outcome?.kind === 'held' ? outcome.id : '' })),
    // No tool has such a number.
    meter.commit(call(accounts[1]!, { toolId: 70_000 })),
    meter.hold(accounts[2]!, { most: 7, seconds: 60 }),
  ])
  expect(outcomes).toMatchObject([
    { value: { kind: 'charged', creditsRemaining: 6 } },
    { reason: unavailable },
    { value: { kind: 'held' } },
  ])
  expect(await openHolds(accounts[2]!.accountId)).toBe(1)
})

test('a hold that ends while its settlement waits for the account is not returned twice', async () => {
  const account = await fixture.account(10)
  const { meter } = await fixture.instance()
  await meter.commit(call(account, { credits: 3 }))
  const outcome = await meter.hold(account, { most: 6, seconds: 60 })
  const holdId = outcome?.kind === 'held' ? outcome.id : ''
  const client = await (await homeOf(fixture.db, account.accountId)).pool.connect()
  await client.query(`begin; select 1 from credit_accounts where account_id = ${account.accountId} for update`)
  const settled = meter.commit(call(account, { credits: 4, holdId }))
  await expect.poll(waiting).toBe(1)
  await client.query(`select credit_release('${holdId}'); commit`)
  client.release()
  expect(await settled).toMatchObject({ kind: 'charged', creditsCharged: 4, creditsRemaining: 3 })
})
