import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setSuspended } from '../account/set-suspended.ts'
import { setCreditState } from '../credits/account-state.ts'
import { settleAccounts } from '../credits/settle.ts'
import type { Charging } from './charging.ts'
import { checkInvariants } from './invariants.ts'
import { closeMeterKey, openMeterKey, setKeyBudget } from './keys.ts'
import type { CommitOutcome, Meter } from './meter.ts'
import { type MeterFixture, meterFixture } from './testing/meter-fixture.ts'
import { MeterModel, type ModelAccount, type ModelEntry, type ModelOutcome } from './testing/meter-model.ts'

let fixture: MeterFixture
let meters: (Meter & Charging)[]

beforeAll(async () => {
  fixture = await meterFixture()
  // One batch for all, and batches so small that queues are split and run concurrently.
  const wide = await fixture.instance()
  const narrow = await fixture.instance({ env: { METER_BATCHES: '3', METER_BATCH_SIZE: '4' } })
  meters = [wide.meter, narrow.meter]
})
afterAll(() => fixture.close())

const key = fc.record({ live: fc.boolean(), budget: fc.option(fc.nat(20)) })
const account = (odd: boolean): fc.Arbitrary<ModelAccount> =>
  fc.record({
    balance: odd ? fc.nat(30) : fc.constant(1_000),
    payg: odd ? fc.oneof(fc.constant(0), fc.nat(20)) : fc.constant(0),
    unlimited: fc.boolean(),
    blocked: odd
      ? fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
      : fc.constant(false),
    keys: odd
      ? fc.array(key, { minLength: 1, maxLength: 2 })
      : fc.constantFrom(1_000, null, null).map((budget) => [
          { live: true, budget: null },
          { live: true, budget },
        ]),
  })
/** `hold` numbers the holds of a story. Some are settled twice, released and settled, or not made before. */
const entry = (odd: boolean, kinds: ModelEntry['kind'][]): fc.Arbitrary<ModelEntry> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    account: fc.nat(odd ? 3 : 2),
    key: fc.option(fc.nat(1)),
    credits: fc.nat(8),
    success: fc.boolean(),
    idempotencyKey: odd ? fc.option(fc.constantFrom('a', 'b')) : fc.constant(null),
    request: fc.constantFrom('x', 'y'),
    hold: fc.nat(odd ? 12 : 1_000_000),
    durationMs: fc.constantFrom(1, 300),
  })
/** Two bursts: what the first holds, the second settles or releases. Between them, credits may be settled into the ledger. */
const story = (odd: boolean, holds: boolean) =>
  fc.record({
    accounts: fc.array(account(odd), { minLength: 3, maxLength: 3 }),
    bursts: fc.tuple(
      fc.array(entry(odd, holds ? ['call', 'hold', 'hold'] : ['call']), { minLength: 1, maxLength: 40 }),
      holds
        ? fc.array(entry(odd, ['call', 'hold', 'settle', 'settle', 'settle', 'release']), { maxLength: 40 })
        : fc.constant([]),
    ),
    ledger: fc.boolean(),
  })

async function make(model: ModelAccount): Promise<{ accountId: number; bucket: number; keyIds: number[] }> {
  const { accountId, bucket } = await fixture.account(model.balance)
  const { kysely } = fixture.db.of(bucket)
  await setCreditState(kysely, accountId, { unlimited: model.unlimited })
  await setSuspended(kysely, accountId, model.blocked)
  await sql`update credit_accounts set payg_enabled = true, payg_left = ${model.payg} where account_id = ${accountId}`.execute(
    kysely,
  )
  const keyIds: number[] = []
  for (const [i, { live, budget }] of model.keys.entries()) {
    const keyId = accountId * 10 + 1_000_000 + i
    keyIds.push(keyId)
    await openMeterKey(kysely, { keyId, accountId })
    await setKeyBudget(kysely, { keyId, accountId }, budget)
    // Half of the budgets have already started: the set-based path may use only those.
    if (budget !== null && i % 2)
      await sql`update meter_keys set budget_left = monthly_budget, budget_until = 'infinity' where key_id = ${keyId}`.execute(
        kysely,
      )
    if (!live) await closeMeterKey(kysely, { keyId, accountId })
  }
  return { accountId, bucket, keyIds }
}

const seen = (outcome: CommitOutcome): ModelOutcome => ({
  name: outcome.kind === 'refused' ? outcome.code : outcome.kind,
  charged: outcome.kind === 'refused' ? 0 : outcome.creditsCharged,
  remaining: outcome.creditsRemaining,
})

test.each([
  { name: 'anything goes (exact path)', odd: true, holds: false },
  { name: 'nothing unusual (set-based path)', odd: false, holds: false },
  { name: 'holds, anything goes (exact path)', odd: true, holds: true },
  { name: 'holds, nothing unusual (set-based path)', odd: false, holds: true },
])(
  'the commit matches the model: $name',
  async ({ odd, holds }) => {
    const before = await batches()
    await fc.assert(
      fc.asyncProperty(story(odd, holds), fc.constantFrom(0, 1), async ({ accounts, bursts, ledger }, which) => {
        const made = await Promise.all(accounts.map(make))
        const meter = meters[which]!
        const model = new MeterModel(accounts)
        const ids = new Map<string, string>()
        const decided = async (one: ModelEntry): Promise<ModelOutcome> => {
          const of = made[one.account]
          const caller = {
            accountId: of?.accountId ?? 888_888_888,
            bucket: of?.bucket ?? 0,
            keyId: one.key === null ? null : (of?.keyIds[one.key] ?? 777_777_777),
          }
          const hold = `${one.account} ${one.hold}`
          if (one.kind === 'hold') {
            const outcome = await meter.hold(caller, { most: one.success ? one.credits : 0, seconds: 3_600 })
            if (outcome?.kind === 'refused')
              return { name: outcome.code, charged: 0, remaining: outcome.creditsRemaining }
            ids.set(hold, outcome!.id)
            return { name: 'held', charged: 0, remaining: null }
          }
          if (one.kind === 'release')
            return {
              name: (await meter.release(caller, ids.get(hold)!)) ? 'released' : 'ended',
              charged: 0,
              remaining: null,
            }
          return seen(
            await meter.commit({
              ...caller,
              toolId: 1,
              credits: one.credits,
              status: one.success ? 'success' : 'failed',
              durationMs: one.durationMs,
              idempotency:
                one.idempotencyKey === null ? undefined : { key: one.idempotencyKey, requestHash: one.request },
              ...(one.kind === 'settle' && { holdId: ids.get(hold)! }),
            }),
          )
        }
        for (const burst of bursts) {
          const numbered = numberHolds(burst, ids, odd)
          const outcomes = await Promise.all(numbered.map(decided))
          expect(outcomes).toEqual(
            numbered.map((one) => {
              const outcome = model.decide(one)
              return made[one.account] || one.kind === 'release' ? outcome : { ...outcome, remaining: 0 }
            }),
          )
          for (const [i, { accountId }] of made.entries()) {
            const row = await fixture.db.kysely
              .selectFrom('credit_accounts')
              .select(['balance', 'payg_left'])
              .where('account_id', '=', accountId)
              .executeTakeFirst()
            expect(row).toEqual({ balance: accounts[i]?.balance, payg_left: accounts[i]?.payg })
            const { rows: keys } = await sql<{ budget: number | null }>`
              select case when budget_until <= app_now() then monthly_budget when monthly_budget is not null then budget_left end as budget
              from meter_keys where key_id = any (${made[i]!.keyIds}) order by key_id`.execute(fixture.db.kysely)
            expect(keys).toEqual(accounts[i]!.keys.map(({ budget }) => ({ budget })))
          }
          if (ledger) await settleAccounts(fixture.db)
        }
        const { rows } = await sql<{ open: number }>`
          select count(*)::int as open from credit_holds where account_id = any (${made.map(({ accountId }) => accountId)})`.execute(
          fixture.db.kysely,
        )
        expect(rows).toEqual([{ open: model.openHolds }])
      }),
      { numRuns: Number(process.env.MODEL_RUNS ?? 60) },
    )
    expect(await checkInvariants(fixture.db)).toEqual([])
    const after = await batches()
    expect(odd ? after.exact - before.exact : after.quick - before.quick).toBeGreaterThan(20)
    await settleAccounts(fixture.db)
    expect(await checkInvariants(fixture.db)).toEqual([])
  },
  90_000,
)

/**
 * Makes the numbers of holds fit: each hold is new. In odd stories, a settlement may name one of the same account that has
 * ended, or none; otherwise it names one that is open, and no other entry of the burst does.
 */
function numberHolds(burst: readonly ModelEntry[], ids: Map<string, string>, odd: boolean): ModelEntry[] {
  const open = [...ids.keys()]
  const numbered: ModelEntry[] = []
  for (const [i, one] of burst.entries()) {
    if (one.kind === 'hold')
      numbered.push({ ...one, hold: ids.size * 100 + i, credits: one.success ? one.credits : 0, success: true })
    else if (one.kind === 'call') numbered.push(one)
    else if (odd) {
      const named = open[one.hold]
      const hold = `${one.account} ${one.hold}`
      if (named === undefined && !ids.has(hold)) ids.set(hold, randomUUID())
      const [account, number] = (named ?? hold).split(' ').map(Number)
      numbered.push({ ...one, account: account!, hold: number! })
    } else if (open.length > 0) {
      const [account, number] = open
        .splice(one.hold % open.length, 1)[0]!
        .split(' ')
        .map(Number)
      numbered.push({ ...one, account: account!, hold: number! })
    }
  }
  return numbered
}

async function batches(): Promise<{ exact: number; quick: number }> {
  const { rows } = await sql<{ exact: number; quick: number }>`
    select count(outcomes)::int as exact, count(*)::int - count(outcomes)::int as quick from meter_batches`.execute(
    fixture.db.kysely,
  )
  return rows[0]!
}
