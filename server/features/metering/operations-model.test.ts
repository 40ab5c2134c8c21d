import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setSuspended } from '../account/set-suspended.ts'
import { grantCredits } from '../credits/grant.ts'
import { settleAccounts } from '../credits/settle.ts'
import { voidCredits } from '../credits/void.ts'
import type { Charging } from './charging.ts'
import { foldUsage } from './fold.ts'
import { endExpiredHolds } from './holds.ts'
import { checkInvariants } from './invariants.ts'
import { setKeyBudget } from './keys.ts'
import type { Meter } from './meter.ts'
import { forwardingPair } from './testing/forwarding.ts'
import { type MeterFixture, meterFixture, moveClock } from './testing/meter-fixture.ts'
import { AccountModel, type ModelGrant } from './testing/operations-model.ts'

const HOUR = 3_600_000
const PRIORITIES = { free: 10, trial: 10, plan: 20, promo: 30, topup: 50 } as const

let fixture: MeterFixture
let meters: (Meter & Charging)[]
let closePlace: () => void
beforeAll(async () => {
  fixture = await meterFixture()
  const { sender, place } = await forwardingPair(fixture)
  closePlace = place.close
  meters = [
    (await fixture.instance()).meter,
    (await fixture.instance({ env: { METER_BATCHES: '3' } })).meter,
    sender.meter,
  ]
})
afterAll(async () => {
  await fixture.close()
  closePlace()
})

const small = fc.nat(12)
const operation = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      credits: small,
      success: fc.boolean(),
      keyed: fc.option(fc.constantFrom('a', 'b')),
      request: fc.constantFrom('x', 'y'),
      held: fc.boolean(),
      again: fc.nat(4),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      kind: fc.constantFrom(...(Object.keys(PRIORITIES) as (keyof typeof PRIORITIES)[])),
      amount: fc.integer({ min: 1, max: 20 }),
      fromHours: fc.constantFrom(-1, -1, 3),
      hours: fc.constantFrom(4, 29, null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('void' as const),
      which: fc.nat(5),
      amount: fc.integer({ min: 1, max: 15 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('clock' as const), hours: fc.constantFrom(0, 1, 5, 30, 800) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('budget' as const), budget: fc.option(fc.nat(25)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('payg' as const), left: fc.option(fc.nat(15)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('suspend' as const), blocked: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('key' as const), live: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      most: fc.integer({ min: 1, max: 10 }),
      charge: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const) }) },
)

test('any sequence of operations on an account, with the clock moving both ways, matches the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 35 }), async (operations) => {
      const { kysely } = fixture.db
      await moveClock(fixture, '0')
      const account = await fixture.account()
      await sql`update credit_accounts set payg_enabled = true where account_id = ${account.accountId}`.execute(kysely)
      const model = new AccountModel()
      const grantIds: { id: number; grant: ModelGrant }[] = []
      const holds: { id: string; n: number }[] = []
      const start = Date.now()
      let hours = 0
      for (const [i, one] of operations.entries()) {
        const now = start + hours * HOUR
        const meter = meters[i % 3]!
        if (one.do === 'clock') {
          hours = one.hours
          await moveClock(fixture, `${hours} hours`)
        } else if (one.do === 'grant') {
          // Between the hours that the clock jumps to, so that the test's own seconds do not matter.
          const from = now + one.fromHours * HOUR + HOUR / 2
          const until = one.hours === null ? Number.POSITIVE_INFINITY : start + one.hours * HOUR + HOUR / 2
          const sourceId = randomUUID()
          await grantCredits(kysely, {
            accountId: account.accountId,
            kind: one.kind,
            amount: one.amount,
            sourceType: 'model',
            sourceId,
            effectiveAt: new Date(from),
            ...(Number.isFinite(until) && { expiresAt: new Date(until) }),
          })
          model.grant(now, { priority: PRIORITIES[one.kind], remaining: one.amount, from, until })
          const { id } = await kysely
            .selectFrom('credit_grants')
            .select('id')
            .where('source_id', '=', sourceId)
            .executeTakeFirstOrThrow()
          grantIds.push({ id, grant: model.grants.at(-1)! })
        } else if (one.do === 'void') {
          const target = grantIds[one.which]
          if (target)
            expect(await voidCredits(kysely, target.id, one.amount)).toBe(model.takeBack(now, target.grant, one.amount))
        } else if (one.do === 'settle') {
          await sql`select credit_settle(${account.accountId}, app_now())`.execute(kysely)
          model.settle(now)
        } else if (one.do === 'budget') {
          await setKeyBudget(kysely, account, one.budget)
          model.setBudget(one.budget)
        } else if (one.do === 'payg') {
          const left = one.left ?? 0
          const isOn = one.left !== null
          await sql`
            update credit_accounts set payg_enabled = ${isOn}, payg_left = ${left} where account_id = ${account.accountId}`.execute(
            kysely,
          )
          model.paygOn = isOn
          model.payg = left
        } else if (one.do === 'suspend') {
          await setSuspended(kysely, account.accountId, one.blocked)
          model.blocked = one.blocked
        } else if (one.do === 'key') {
          // A key stays closed. Here it opens again, so that the rest of the story is worth telling.
          await sql`update meter_keys set live = ${one.live} where key_id = ${account.keyId}`.execute(kysely)
          model.live = one.live
        } else if (one.do === 'hold') {
          const outcome = await meter.hold(account, {
            most: one.most,
            seconds: 3_600,
            ...(one.charge && { onExpiry: 'charge', toolId: 1 }),
          })
          const refusal = model.hold(now, i, one.most, one.charge)
          expect(outcome?.kind === 'refused' ? outcome.code : null).toBe(refusal)
          if (outcome?.kind === 'held') holds.push({ id: outcome.id, n: i })
        } else if (one.do === 'release') {
          const held = holds.pop()
          if (held) expect(await meter.release(account, held.id)).toBe(model.release(now, held.n))
        } else if (one.do === 'sweep') {
          await endExpiredHolds(fixture.db)
          model.endExpired(now)
        } else {
          // Some holds are settled twice, and some after their expiry.
          const held = one.held ? (one.again === 0 ? holds.at(-1) : holds.pop()) : undefined
          const idempotency = one.keyed === null ? null : { key: one.keyed, request: one.request }
          const outcome = await meter.commit({
            ...account,
            toolId: 1,
            credits: one.credits,
            status: one.success ? 'success' : 'failed',
            durationMs: i,
            ...(idempotency && { idempotency: { key: idempotency.key, requestHash: idempotency.request } }),
            ...(held && { holdId: held.id }),
          })
          expect({
            name: outcome.kind === 'refused' ? outcome.code : outcome.kind,
            charged: outcome.kind === 'refused' ? 0 : outcome.creditsCharged,
          }).toEqual(
            model.call(now, { credits: one.credits, success: one.success, idempotency, hold: held?.n ?? null }),
          )
        }
        const row = await kysely
          .selectFrom('credit_accounts')
          .select(['balance', 'payg_left'])
          .where('account_id', '=', account.accountId)
          .executeTakeFirst()
        expect([i, one.do, row]).toEqual([i, one.do, { balance: model.balance, payg_left: model.payg }])
      }
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 25) },
  )
  expect(await checkInvariants(fixture.db)).toEqual([])
  await settleAccounts(fixture.db)
  await foldUsage(fixture.db)
  expect(await checkInvariants(fixture.db)).toEqual([])
}, 300_000)
