import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { enterBucket, homeOf } from '../../db/buckets.ts'
import { foldUsage, rollUsage } from '../metering/fold.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { call, type Instance, type MeterFixture, meterFixture, moveClock } from '../metering/testing/meter-fixture.ts'
import { readBalance } from './balance.ts'
import { type GrantKind, grantCredits } from './grant.ts'
import { setEntitlements } from './set-entitlements.ts'
import { settleAccounts } from './settle.ts'
import { voidCredits } from './void.ts'

let fixture: MeterFixture
let meter: Instance['meter']

beforeAll(async () => {
  fixture = await meterFixture()
  meter = (await fixture.instance()).meter
})
afterEach(async () => {
  await moveClock(fixture, '0')
  expect(await checkInvariants(fixture.db)).toEqual([])
})
afterAll(() => fixture.close())

const days = (count: number): Date => new Date(Date.now() + count * 86_400_000)
let source = 0
const grant = (accountId: number, kind: GrantKind, amount: number, expiresAt?: Date, effectiveAt?: Date) =>
  grantCredits(fixture.db.kysely, {
    accountId,
    kind,
    amount,
    expiresAt,
    effectiveAt,
    sourceType: 'order',
    sourceId: String(++source),
  })
const balance = async (accountId: number) => (await readBalance(fixture.db.kysely, accountId)).remaining
const ledger = async (accountId: number) => {
  const { rows } = await sql<{ line: string }>`select g.kind || ' ' || l.kind || ' ' || l.delta as line
    from credit_ledger l join credit_grants g on g.id = l.grant_id where l.account_id = ${accountId} order by l.id`.execute(
    fixture.db.kysely,
  )
  return rows.map(({ line }) => line)
}

const grants = async (accountId: number) => {
  const { rows } = await sql<{ kind: string; remaining: number; state: string }>`
    select kind, remaining, state from credit_grants where account_id = ${accountId} order by id`.execute(
    fixture.db.kysely,
  )
  return rows.map(({ kind, remaining, state }) => `${kind} ${remaining} ${state}`)
}

test('settlement burns by kind, then the earliest expiry, then the oldest', async () => {
  const { accountId, keyId } = await fixture.account()
  await grant(accountId, 'topup', 10)
  await grant(accountId, 'promo', 10)
  await grant(accountId, 'plan', 10, days(60))
  await grant(accountId, 'plan', 10, days(30))
  await grant(accountId, 'free', 10)
  await grant(accountId, 'trial', 10)
  const spend = async (credits: number) => {
    await meter.commit(call({ accountId, keyId }, { credits }))
    await settleAccounts(fixture.db)
    return grants(accountId)
  }
  const steps = [await spend(5), await spend(10), await spend(10), await spend(10), await spend(10), await spend(10)]
  expect(steps.map((step) => step.map((text) => text.split(' ')[1]).join(' '))).toEqual([
    '10 10 10 10 5 10',
    '10 10 10 10 0 5',
    '10 10 10 5 0 0',
    '10 10 5 0 0 0',
    '10 5 0 0 0 0',
    '5 0 0 0 0 0',
  ])
  expect(await balance(accountId)).toBe(5)
})

test('one settlement burns several grants and writes one ledger line for each', async () => {
  const { accountId, keyId } = await fixture.account()
  await grant(accountId, 'topup', 10)
  await grant(accountId, 'free', 4)
  await Promise.all(Array.from({ length: 6 }, () => meter.commit(call({ accountId, keyId }))))
  expect(await settleAccounts(fixture.db)).toBe(1)
  expect(await settleAccounts(fixture.db)).toBe(0)
  const lines = await ledger(accountId)
  expect(lines.slice(0, 2)).toEqual(['topup grant 10', 'free grant 4'])
  expect(lines.slice(2).sort()).toEqual(['free debit -4', 'topup debit -2'])
})

test('of many accounts, one that is in use is left out, and all others are settled', async () => {
  const accounts = await Promise.all(Array.from({ length: 25 }, () => fixture.account(10)))
  await Promise.all(accounts.map((account) => meter.commit(call(account, { credits: 3 }))))
  const { accountId } = accounts[4]!
  await fixture.db.kysely.transaction().execute(async (tx) => {
    await enterBucket(tx, accountId)
    await sql`select from credit_accounts where account_id = ${accountId} for update`.execute(tx)
    expect(await settleAccounts(fixture.db)).toBe(24)
  })
  expect(await settleAccounts(fixture.db)).toBe(1)
  for (const one of accounts) expect(await grants(one.accountId)).toEqual([expect.stringMatching(/ 7 live$/)])
})

test('a source is granted once, however often and concurrently it is reported', async () => {
  const { accountId } = await fixture.account()
  const again = () =>
    grantCredits(fixture.db.kysely, { accountId, kind: 'topup', amount: 7, sourceType: 'payment', sourceId: 'pi_1' })
  const answers = await Promise.all(Array.from({ length: 20 }, again))
  expect(answers.filter(({ granted }) => granted)).toHaveLength(1)
  expect(await balance(accountId)).toBe(7)
})

test('a grant that is rolled back leaves nothing', async () => {
  const { accountId } = await fixture.account()
  const attempt = fixture.db.kysely.transaction().execute(async (tx) => {
    await grantCredits(tx, { accountId, kind: 'topup', amount: 7, sourceType: 'payment', sourceId: 'pi_2' })
    throw new Error('changed my mind')
  })
  await expect(attempt).rejects.toThrow('changed my mind')
  expect([await balance(accountId), await ledger(accountId)]).toEqual([0, []])
})

test('credits spent before expiry burn the expiring grant; the rest of it expires', async () => {
  const { accountId, keyId } = await fixture.account()
  await grant(accountId, 'topup', 10)
  await grant(accountId, 'free', 10, days(30))
  await meter.commit(call({ accountId, keyId }, { credits: 4 }))
  await moveClock(fixture, '30 days 1 minute')
  expect(await balance(accountId)).toBe(10)
  expect(await grants(accountId)).toEqual(['topup 10 live', 'free 0 closed'])
  expect((await ledger(accountId)).slice(2)).toEqual(['free debit -4', 'free expiry -6'])
})

test('a later grant opens when its time comes, and one that started and ended between settlements closes', async () => {
  const { accountId, keyId } = await fixture.account(1)
  await grant(accountId, 'plan', 5, days(40), days(20))
  await grant(accountId, 'plan', 9, days(15), days(10))
  expect(await balance(accountId)).toBe(1)
  expect(await meter.commit(call({ accountId, keyId }, { credits: 2 }))).toMatchObject({ code: 'insufficient_credits' })
  await moveClock(fixture, '21 days')
  expect(await meter.commit(call({ accountId, keyId }, { credits: 6 }))).toMatchObject({
    kind: 'charged',
    creditsRemaining: 0,
  })
  await moveClock(fixture, '41 days')
  await settleAccounts(fixture.db)
  expect(await grants(accountId)).toEqual(['topup 0 closed', 'plan 0 closed', 'plan 0 closed'])
})

test('a grant that starts half an hour after another ends leaves that time without credits', async () => {
  const { accountId } = await fixture.account()
  await grant(accountId, 'plan', 5, days(10))
  await grant(accountId, 'plan', 7, days(40), days(10 + 1 / 48))
  await moveClock(fixture, '10 days 1 minute')
  expect(await balance(accountId)).toBe(0)
  await moveClock(fixture, '10 days 31 minutes')
  expect(await balance(accountId)).toBe(7)
})

test('the job closes expired credits of an account that nobody uses', async () => {
  const { accountId } = await fixture.account()
  await grant(accountId, 'free', 5, days(30))
  await moveClock(fixture, '30 days 1 minute')
  expect(await settleAccounts(fixture.db)).toBe(1)
  expect(await grants(accountId)).toEqual(['free 0 closed'])
})

test('a refresh of pay-as-you-go leaves out what running calls hold of it', async () => {
  const account = await fixture.account()
  const { kysely } = await homeOf(fixture.db, account.accountId)
  const refresh = (left: number, used: number) =>
    setEntitlements(kysely, account.accountId, { unlimited: false, payAsYouGo: { left, used } })
  const payg = async () =>
    (
      await sql`select payg_left, payg_used from credit_accounts where account_id = ${account.accountId}`.execute(
        kysely,
      )
    ).rows
  await refresh(10, 0)
  const held = await meter.hold(account, { most: 8, seconds: 60 })
  await refresh(10, 0)
  expect(await payg()).toEqual([{ payg_left: 2, payg_used: 8 }])
  expect(await meter.commit(call(account, { credits: 3 }))).toMatchObject({ code: 'insufficient_credits' })
  await meter.release(account, held?.kind === 'held' ? held.id : '')
  expect(await payg()).toEqual([{ payg_left: 10, payg_used: 0 }])
})

test('a debt takes all of a smaller grant, which closes', async () => {
  const { accountId } = await fixture.account()
  const { kysely } = await homeOf(fixture.db, accountId)
  await sql`update credit_accounts set debt_credits = 8 where account_id = ${accountId}`.execute(kysely)
  await grant(accountId, 'topup', 5)
  expect([await balance(accountId), await grants(accountId)]).toEqual([0, ['topup 0 closed']])
})

test('a grant that comes after its own end is kept and closed', async () => {
  const { accountId } = await fixture.account()
  expect(await grant(accountId, 'plan', 5, days(-1))).toEqual({ granted: true })
  expect(await grants(accountId)).toEqual(['plan 0 closed'])
  expect([await balance(accountId), await ledger(accountId)]).toEqual([0, ['plan grant 5', 'plan expiry -5']])
})

test('settlement skips a locked account, and settles it the next time', async () => {
  const { accountId, keyId } = await fixture.account(5)
  await meter.commit(call({ accountId, keyId }))
  await fixture.db.kysely.transaction().execute(async (tx) => {
    await enterBucket(tx, accountId)
    await sql`select 1 from credit_accounts where account_id = ${accountId} for update`.execute(tx)
    expect(await settleAccounts(fixture.db)).toBe(0)
  })
  expect(await settleAccounts(fixture.db)).toBe(1)
})

test('settlement reaches every account, in whatever order their rows lie', async () => {
  await sql`insert into credit_accounts (account_id, due_at) select 2000000 - n, app_now() from generate_series(1, 1100) n`.execute(
    fixture.db.kysely,
  )
  await settleAccounts(fixture.db)
  const { rows } = await sql`select account_id from credit_accounts where due_at <= app_now() limit 1`.execute(
    fixture.db.kysely,
  )
  await sql`delete from credit_accounts where account_id >= 1000000`.execute(fixture.db.kysely)
  expect(rows).toEqual([])
})

test('the ledger only grows', async () => {
  await fixture.account(1)
  for (const change of ['update credit_ledger set delta = 2', 'delete from credit_ledger'])
    await expect(sql.raw(change).execute(fixture.db.kysely)).rejects.toThrow('append-only')
})

test('amounts that are not positive integers are refused', async () => {
  const { accountId } = await fixture.account()
  for (const amount of [0, -1, 1.5, Number.NaN, 2 ** 60])
    await expect(grant(accountId, 'promo', amount)).rejects.toThrow(RangeError)
  await expect(grant(987_654_321, 'promo', 1)).rejects.toThrow('There is no account')
})

test('each broken invariant is detected', async () => {
  const broken = async (damage: string) => {
    const client = await fixture.db.pool.connect()
    try {
      await client.query(damage)
    } finally {
      client.release()
    }
    return (await checkInvariants(fixture.db)).map(({ invariant }) => invariant)
  }
  const { accountId, keyId } = await fixture.account(10)
  await meter.commit(call({ accountId, keyId }, { credits: 2, durationMs: 5 }))
  await meter.commit(call({ accountId, keyId }, { status: 'failed', durationMs: 50 }))
  const mine = `where account_id = ${accountId}`
  const table = (await homeOf(fixture.db, accountId)).session.searchPath.split(',')[0]
  const seesSums = async (tables: string[], column = 'success') => {
    for (const table of tables) {
      // The histogram is checked against the rows, the hours and the sum of all keys.
      expect(new Set(await broken(`update ${table} set ${column} = ${column} + 1 ${mine}`)), table).toEqual(
        new Set(['I4']),
      )
      expect(await broken(`update ${table} set ${column} = ${column} - 1 ${mine}`)).toEqual([])
    }
  }
  await foldUsage(fixture.db)
  await seesSums(['usage_open'])
  await moveClock(fixture, '1 hour')
  await rollUsage(fixture.db)
  await seesSums(['usage_hourly', 'usage_daily'])
  await seesSums(['usage_hourly', 'usage_daily'], 'failed')
  await seesSums(['usage_hourly', 'usage_daily'], 'refused')
  await seesSums(['usage_latency'], 'calls')
  for (const [hourly, ofAll] of [
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ]) {
    const some = `${mine} and hourly = ${hourly} and (key_id = -1) = ${ofAll}`
    expect((await broken(`update usage_latency set calls = calls + 1 ${some}`)).length).toBeGreaterThan(0)
    expect(await broken(`update usage_latency set calls = calls - 1 ${some}`)).toEqual([])
  }
  expect(await broken(`update credit_grants set remaining = 9 ${mine}`)).toEqual(['I1', 'I2'])
  expect(await broken(`update credit_grants set remaining = 10 ${mine}`)).toEqual([])
  expect(await broken(`update credit_accounts set balance = balance + 1 ${mine}`)).toEqual(['I2'])
  expect(await broken(`update credit_accounts set balance = balance - 1, unsettled = unsettled + 1 ${mine}`)).toEqual([
    'I2',
    'I7',
  ])
  expect(await broken(`update credit_accounts set balance = balance + 0, unsettled = unsettled - 1 ${mine}`)).toEqual(
    [],
  )
  // A row recorded twice; rows and sums differ; rows and histogram differ.
  expect(await broken(`insert into usage_events select * from usage_events ${mine} and not success`)).toEqual([
    'I4',
    'I4',
    'I4',
  ])
  expect(
    await broken(
      `delete from ${table}.usage_events e using (select ctid as place from ${table}.usage_events ${mine} and not success limit 1) d
       where e.ctid = d.place and e.account_id = ${accountId} and not e.success`,
    ),
  ).toEqual([])
  expect(await checkInvariants(fixture.db)).toEqual([])
})

test('a grant that has not started can be taken back without a change of the balance', async () => {
  const { accountId } = await fixture.account(5)
  const { kysely } = fixture.db
  await grant(accountId, 'plan', 10, days(60), days(30))
  const pending = sql<{
    id: number
  }>`select id from credit_grants where account_id = ${accountId} and state = 'pending'`
  const { id } = (await pending.execute(kysely)).rows[0]!
  expect(await voidCredits(kysely, id, 4)).toBe(4)
  expect(await balance(accountId)).toBe(5)
  await moveClock(fixture, '31 days')
  expect(await balance(accountId)).toBe(11)
})

test('credits whose end is moved into the past are gone at once', async () => {
  const { accountId } = await fixture.account(5)
  const { kysely } = fixture.db
  await grant(accountId, 'plan', 10, days(30))
  expect(await balance(accountId)).toBe(15)
  const plan = await kysely
    .selectFrom('credit_grants')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'plan')
    .executeTakeFirstOrThrow()
  await sql`select credit_shorten(${plan.id}, app_now() - interval '1 second')`.execute(kysely)
  const { rows } = await sql`select balance from credit_accounts where account_id = ${accountId}`.execute(kysely)
  expect(rows).toEqual([{ balance: 5 }])
})
