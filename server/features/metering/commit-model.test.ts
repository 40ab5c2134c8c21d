import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timeForRuns } from '../../testing/time-for-runs.ts'
import { setSuspended } from '../account/set-suspended.ts'
import { setCreditState } from '../credits/account-state.ts'
import { setNextAlert } from '../credits/alerts.ts'
import { settleAccounts } from '../credits/settle.ts'
import type { Charging } from './charging.ts'
import { checkInvariants } from './invariants.ts'
import { closeMeterKey, openMeterKey, setKeyBudget } from './keys.ts'
import type { CommitOutcome, Meter } from './meter.ts'
import { type MeterFixture, meterFixture, stopClock } from './testing/meter-fixture.ts'
import { AccountModel, monthEnd } from './testing/operations-model.ts'
import { followAlert, modelRows, readRows } from './testing/rows-of-account.ts'

/** No key has this id. */
const STRANGER = 777_777_777
/** The clock stands still. */
const NOW = Date.parse('2027-01-30T12:00Z')
let fixture: MeterFixture
let meters: (Meter & Charging)[]

beforeAll(async () => {
  fixture = await meterFixture()
  await stopClock(fixture, NOW)
  // One batch for all, and batches so small that queues are split and run concurrently.
  const wide = await fixture.instance()
  const narrow = await fixture.instance({ env: { METER_BATCHES: '3', METER_BATCH_SIZE: '4' } })
  meters = [wide.meter, narrow.meter]
})
afterAll(() => fixture.close())

/** What an account has at first. */
interface Start {
  balance: number
  payg: number
  unlimited: boolean
  blocked: boolean
  /** Null: no alert is due. */
  alert: number | null
  keys: { live: boolean; budget: number | null }[]
}

interface Entry {
  kind: 'call' | 'hold' | 'settle' | 'release'
  account: number
  key: number | null
  credits: number
  success: boolean
  keyed: string | null
  request: string
  /** The hold that is made, settled or released. */
  hold: number
  durationMs: number
}

const sometimes = fc.constantFrom(true, false, false, false)
const account = (odd: boolean): fc.Arbitrary<Start> =>
  fc.record({
    balance: odd ? fc.nat(30) : fc.constant(1_000),
    payg: odd ? fc.oneof(fc.constant(0), fc.nat(20)) : fc.constant(0),
    unlimited: fc.boolean(),
    blocked: odd ? sometimes : fc.constant(false),
    alert: fc.option(odd ? fc.nat(30) : fc.integer({ min: 800, max: 1_000 })),
    keys: odd
      ? fc.tuple(...[0, 1].map(() => fc.record({ live: fc.boolean(), budget: fc.option(fc.nat(20)) })))
      : fc.constantFrom(1_000, null, null).map((budget) => [
          { live: true, budget: null },
          { live: true, budget },
        ]),
  })
/** `hold` numbers the holds of a story. Some are settled twice, released and settled, or not made before. */
const entry = (odd: boolean, kinds: Entry['kind'][]): fc.Arbitrary<Entry> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    account: fc.nat(odd ? 3 : 2),
    key: fc.option(fc.nat(odd ? 2 : 1)),
    credits: fc.nat(8),
    success: fc.boolean(),
    keyed: odd ? fc.option(fc.constantFrom('a', 'b')) : fc.constant(null),
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
        : fc.array(entry(odd, ['call']), { maxLength: 20 }),
    ),
    ledger: fc.boolean(),
  })

interface Made {
  accountId: number
  bucket: number
  keyIds: number[]
  model: AccountModel
}

async function make({ balance, payg, unlimited, blocked, alert, keys }: Start): Promise<Made> {
  const { accountId, bucket } = await fixture.account(balance)
  const { kysely } = fixture.db.of(bucket)
  const model = new AccountModel()
  if (balance > 0)
    model.grant(NOW, { kind: 'topup', priority: 50, amount: balance, from: NOW, until: Number.POSITIVE_INFINITY })
  Object.assign(model, { unlimited, blocked, payg, alertBelow: alert ?? -1 })
  await setCreditState(kysely, accountId, { unlimited })
  await setSuspended(kysely, accountId, blocked)
  await setNextAlert(kysely, accountId, alert)
  await sql`update credit_accounts set payg_enabled = true, payg_left = ${payg} where account_id = ${accountId}`.execute(
    kysely,
  )
  await sql`delete from meter_keys where account_id = ${accountId}`.execute(kysely)
  const keyIds: number[] = []
  for (const [i, { live, budget }] of keys.entries()) {
    const keyId = accountId * 10 + 1_000_000 + i
    keyIds.push(keyId)
    await openMeterKey(kysely, { keyId, accountId })
    await setKeyBudget(kysely, { keyId, accountId }, budget)
    model.keys[i] = { live, budget, left: 0, until: Number.NEGATIVE_INFINITY }
    // Half of the budgets have already started: the set-based path may use only those.
    if (budget !== null && i % 2) {
      await sql`update meter_keys set budget_left = monthly_budget, budget_until = month_end(app_now()) where key_id = ${keyId}`.execute(
        kysely,
      )
      Object.assign(model.keys[i], { left: budget, until: monthEnd(NOW) })
    }
    if (!live) await closeMeterKey(kysely, { keyId, accountId })
  }
  return { accountId, bucket, keyIds, model }
}

interface Outcome {
  name: string
  charged: number
  /** null: the meter does not tell. */
  remaining: number | null
}

/** What the model says. An account that does not exist has none. */
function expected(of: Made | undefined, one: Entry): Outcome {
  const { model } = of ?? {}
  if (!model)
    return {
      name: one.kind === 'release' ? 'ended' : 'key_invalid',
      charged: 0,
      remaining: one.kind === 'release' ? null : 0,
    }
  if (one.kind === 'release')
    return { name: model.release(NOW, one.hold) ? 'released' : 'ended', charged: 0, remaining: null }
  if (one.kind === 'hold') {
    const name = model.hold(NOW, one.hold, { key: one.key, most: one.credits, charge: false }) ?? 'held'
    return { name, charged: 0, remaining: model.balance }
  }
  const { name, charged, remaining } = model.call(NOW, {
    ...one,
    idempotency: one.keyed === null ? null : { key: one.keyed, request: one.request, answer: null },
    hold: one.kind === 'settle' ? one.hold : null,
  })
  return { name, charged, remaining }
}

const seen = (outcome: CommitOutcome): Outcome => ({
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
    const hasTime = timeForRuns(120_000)
    await fc.assert(
      fc.asyncProperty(story(odd, holds), fc.constantFrom(0, 1), async ({ accounts, bursts, ledger }, which) => {
        if (!hasTime()) return
        const made = await Promise.all(accounts.map(make))
        const meter = meters[which]!
        const ids = new Map<string, string>()
        const decided = async (one: Entry): Promise<Outcome> => {
          const of = made[one.account]
          const caller = {
            accountId: of?.accountId ?? 888_888_888,
            bucket: of?.bucket ?? 0,
            keyId: one.key === null ? null : (of?.keyIds[one.key] ?? STRANGER),
          }
          const hold = `${one.account} ${one.hold}`
          if (one.kind === 'hold') {
            const outcome = await meter.hold(caller, { most: one.credits, seconds: 3_600 })
            if (outcome?.kind === 'held') ids.set(hold, outcome.id)
            const name = outcome?.kind === 'refused' ? outcome.code : 'held'
            return { name, charged: 0, remaining: outcome!.creditsRemaining }
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
              idempotency: one.keyed === null ? undefined : { key: one.keyed, requestHash: one.request },
              ...(one.kind === 'settle' && { holdId: ids.get(hold)! }),
            }),
          )
        }
        for (const burst of bursts) {
          const numbered = numberHolds(burst, ids, odd)
          const outcomes = await Promise.all(numbered.map(decided))
          expect(outcomes).toEqual(numbered.map((one) => expected(made[one.account], one)))
          const numbers = new Map([...ids].map(([name, id]) => [id, Number(name.split(' ')[1])]))
          for (const [account, { accountId, bucket, keyIds, model }] of made.entries()) {
            const rows = await readRows(fixture.db.of(bucket).kysely, accountId, [...keyIds, STRANGER], numbers)
            const kinds = numbered.filter((one) => one.account === account).map(({ kind }) => kind)
            if (kinds.length > 1 && kinds.some((kind) => kind !== 'call')) followAlert(model, rows.account)
            expect(rows).toEqual(modelRows(model, NOW))
          }
          if (!ledger) continue
          await settleAccounts(fixture.db)
          for (const { model } of made) model.settle(NOW)
        }
      }),
      { numRuns: process.env.NIGHTLY ? 200 : 25 },
    )
    expect(await checkInvariants(fixture.db)).toEqual([])
    const after = await batches()
    expect(odd ? after.exact - before.exact : after.quick - before.quick).toBeGreaterThan(20)
    await settleAccounts(fixture.db)
    expect(await checkInvariants(fixture.db)).toEqual([])
  },
  process.env.NIGHTLY ? 900_000 : 240_000,
)

/**
 * Makes the numbers of holds fit: each hold is new. In odd stories, a settlement may name one of the same account that has
 * ended, or none; otherwise it names one that is open, and no other entry of the burst does.
 */
function numberHolds(burst: readonly Entry[], ids: Map<string, string>, odd: boolean): Entry[] {
  const open = [...ids.keys()]
  const numbered: Entry[] = []
  for (const [i, one] of burst.entries()) {
    if (one.kind === 'hold')
      numbered.push({ ...one, hold: ids.size * 100 + i, credits: one.success ? one.credits : 0, success: true })
    else if (one.kind === 'call') numbered.push(one)
    else if (odd) {
      const named = open[one.hold]
      // No hold that is made has this number.
      const hold = `${one.account} ${1_000_000 + one.hold}`
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
