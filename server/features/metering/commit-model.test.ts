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
import { type ModelAccount, type ModelCall, type ModelOutcome, runModel } from './testing/meter-model.ts'

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
      : fc.constant([
          { live: true, budget: null },
          { live: true, budget: 1_000 },
        ]),
  })
const call = (odd: boolean): fc.Arbitrary<ModelCall> =>
  fc.record({
    account: fc.nat(odd ? 3 : 2),
    key: fc.option(fc.nat(1)),
    credits: fc.nat(8),
    success: fc.boolean(),
    idempotencyKey: odd ? fc.option(fc.constantFrom('a', 'b')) : fc.constant(null),
    request: fc.constantFrom('x', 'y'),
  })
const story = (odd: boolean) =>
  fc.record({
    accounts: fc.array(account(odd), { minLength: 3, maxLength: 3 }),
    calls: fc.array(call(odd), { minLength: 1, maxLength: 40 }),
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
  { name: 'anything goes (exact path)', odd: true },
  { name: 'nothing unusual (set-based path)', odd: false },
])(
  'the commit matches the model: $name',
  async ({ odd }) => {
    await fc.assert(
      fc.asyncProperty(story(odd), fc.constantFrom(0, 1), async ({ accounts, calls }, which) => {
        const made = await Promise.all(accounts.map(make))
        const outcomes = await Promise.all(
          calls.map((one) =>
            meters[which]!.commit({
              accountId: made[one.account]?.accountId ?? 888_888_888,
              bucket: made[one.account]?.bucket ?? 0,
              keyId: one.key === null ? null : (made[one.account]?.keyIds[one.key] ?? 777_777_777),
              toolId: 1,
              credits: one.credits,
              status: one.success ? 'success' : 'failed',
              durationMs: 1,
              idempotency:
                one.idempotencyKey === null ? undefined : { key: one.idempotencyKey, requestHash: one.request },
            }),
          ),
        )
        expect(outcomes.map(seen)).toEqual(runModel(accounts, calls))
        for (const [i, { accountId }] of made.entries()) {
          const row = await fixture.db.kysely
            .selectFrom('credit_accounts')
            .select(['balance', 'payg_left'])
            .where('account_id', '=', accountId)
            .executeTakeFirst()
          expect(row).toEqual({ balance: accounts[i]?.balance, payg_left: accounts[i]?.payg })
        }
      }),
      { numRuns: 60 },
    )
    expect(await checkInvariants(fixture.db)).toEqual([])
    const { rows } = await sql<{
      exact: number
      quick: number
    }>`select count(outcomes)::int as exact, count(*)::int - count(outcomes)::int as quick from meter_batches`.execute(
      fixture.db.kysely,
    )
    expect(odd ? rows[0]?.exact : rows[0]?.quick).toBeGreaterThan(20)
    await settleAccounts(fixture.db)
    expect(await checkInvariants(fixture.db)).toEqual([])
  },
  60_000,
)
