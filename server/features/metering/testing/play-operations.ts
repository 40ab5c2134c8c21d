import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { setSuspended } from '../../account/set-suspended.ts'
import { setCreditState } from '../../credits/account-state.ts'
import { setNextAlert, takeAlertDue } from '../../credits/alerts.ts'
import { readBalance } from '../../credits/balance.ts'
import { type GrantKind, grantCredits } from '../../credits/grant.ts'
import { setEntitlements } from '../../credits/set-entitlements.ts'
import { voidCredits } from '../../credits/void.ts'
import type { Charging } from '../charging.ts'
import { forgetOldCommits } from '../forget.ts'
import { wasCharged } from '../idempotency.ts'
import { openMeterKey, setKeyBudget } from '../keys.ts'
import type { Meter } from '../meter.ts'
import type { ModelGrant } from './credits-model.ts'
import { type MeterFixture, stopClock } from './meter-fixture.ts'
import { AccountModel, monthEnd } from './operations-model.ts'
import { modelRows, readRows } from './rows-of-account.ts'

const HOUR = 3_600_000
export const PRIORITIES = { free: 10, trial: 10, plan: 20, promo: 30, topup: 50 } as const satisfies Partial<
  Record<GrantKind, number>
>
/** One of two keys, or none. */
type Key = 0 | 1 | null

export type Operation =
  | {
      do: 'call'
      key: Key
      credits: number
      success: boolean
      keyed: string | null
      request: string
      answer: string | null
      held: boolean
      again: number
    }
  | { do: 'grant'; kind: keyof typeof PRIORITIES; amount: number; fromHours: number; hours: number | null }
  | { do: 'void'; which: number; amount: number }
  | { do: 'shorten'; which: number; hours: number }
  /** Hours since the start of the story, or since the end of the UTC month in which it starts. Never back into an earlier month. */
  | { do: 'clock'; since: 'start' | 'month'; hours: number }
  | { do: 'settle' }
  | { do: 'read' }
  | { do: 'forget' }
  | { do: 'sweep' }
  /** `alone`: as a server of the release before does, outside of a batch. */
  | { do: 'release'; alone?: boolean }
  | { do: 'hold'; key: Key; most: number; charge: boolean; alone?: boolean }
  /** The response to the last batch, or to the one with the last hold, was lost. */
  | { do: 'take back'; hold?: boolean }
  | { do: 'budget'; key: 0 | 1; budget: number | null }
  | { do: 'payg'; left: number | null }
  | { do: 'suspend'; blocked: boolean }
  | { do: 'unlimited'; unlimited: boolean }
  | { do: 'key'; key: 0 | 1; live: boolean }
  | { do: 'debt'; credits: number }
  /** The next alert is set, and an earlier one was sent. */
  | { do: 'alert'; below: number | null }

/** Carries the operations out on a new account, on two servers in turn, and compares its rows with the model after each. `start`: ms. */
export async function playOperations(
  fixture: MeterFixture,
  meters: readonly (Meter & Charging)[],
  /** Accounts whose credits were said to have changed. */
  told: Set<number>,
  start: number,
  operations: readonly Operation[],
): Promise<void> {
  await stopClock(fixture, start)
  const { accountId, bucket, keyId: first } = await fixture.account()
  const { kysely } = fixture.db.of(bucket)
  await sql`update credit_accounts set payg_enabled = true where account_id = ${accountId}`.execute(kysely)
  const keyIds = [first, first + 1_000_000_000]
  await openMeterKey(kysely, { keyId: keyIds[1]!, accountId })
  const caller = (key: Key) => ({ accountId, bucket, keyId: key === null ? null : keyIds[key]! })
  const model = new AccountModel()
  const grants: { id: number; grant: ModelGrant }[] = []
  const holds: { id: string; n: number }[] = []
  const numbers = new Map<string, number>()
  let now = start
  const batchIds = async () =>
    new Set((await sql<{ id: string }>`select id from meter_batches`.execute(kysely)).rows.map(({ id }) => id))
  let knownBatches = await batchIds()
  let lastBatch = randomUUID() as string
  let lastAt = now
  const change = (columns: ReturnType<typeof sql>) =>
    sql`update credit_accounts set ${columns} where account_id = ${accountId}`.execute(kysely)

  for (const [i, one] of operations.entries()) {
    const meter = meters[i % 2]!
    model.told = false
    told.delete(accountId)
    if (one.do === 'clock') {
      const next = (one.since === 'month' ? monthEnd(start) : start) + one.hours * HOUR
      if (monthEnd(next) >= monthEnd(now)) now = next
      await stopClock(fixture, now)
    } else if (one.do === 'grant') {
      const from = now + one.fromHours * HOUR
      const until = one.hours === null ? Number.POSITIVE_INFINITY : start + one.hours * HOUR
      const sourceId = randomUUID()
      const given = { accountId, kind: one.kind, amount: one.amount, sourceType: 'model', sourceId }
      const times = { effectiveAt: new Date(from), ...(Number.isFinite(until) && { expiresAt: new Date(until) }) }
      expect(await grantCredits(kysely, { ...given, ...times })).toEqual({ granted: true })
      expect(await grantCredits(kysely, { ...given, ...times })).toEqual({ granted: false })
      const grant = model.grant(now, {
        kind: one.kind,
        priority: PRIORITIES[one.kind],
        amount: one.amount,
        from,
        until,
      })
      const { rows } = await sql<{ id: number }>`select id from credit_grants where source_id = ${sourceId}`.execute(
        kysely,
      )
      grants.push({ id: rows[0]!.id, grant })
    } else if (one.do === 'void') {
      const target = grants[one.which]
      if (target)
        expect(await voidCredits(kysely, target.id, one.amount)).toBe(model.takeBack(now, target.grant, one.amount))
    } else if (one.do === 'shorten') {
      const target = grants[one.which]
      const until = start + one.hours * HOUR
      if (target) {
        await sql`select credit_shorten(${target.id}, ${new Date(until)})`.execute(kysely)
        model.shorten(now, target.grant, until)
      }
    } else if (one.do === 'settle') {
      await sql`select credit_settle(${accountId}, app_now())`.execute(kysely)
      model.settle(now)
    } else if (one.do === 'read') {
      model.begin(now)
      expect(await readBalance(kysely, accountId)).toEqual({
        remaining: model.balance,
        unlimited: model.unlimited,
        payAsYouGoEnabled: model.paygOn,
        blocked: model.blocked,
      })
    } else if (one.do === 'forget') {
      await forgetOldCommits(fixture.db)
      model.forget(now)
      if (lastAt <= now - 6 * HOUR) model.last = null
    } else if (one.do === 'budget') {
      await setKeyBudget(kysely, { accountId, keyId: keyIds[one.key]! }, one.budget)
      model.setBudget(one.key, one.budget)
    } else if (one.do === 'payg') {
      const payAsYouGo = one.left === null ? null : { left: one.left, used: 3 }
      await setEntitlements(kysely, accountId, { unlimited: model.unlimited, payAsYouGo })
      model.setPayg(payAsYouGo)
    } else if (one.do === 'suspend') {
      await setSuspended(kysely, accountId, one.blocked)
      model.blocked = one.blocked
    } else if (one.do === 'unlimited') {
      await setCreditState(kysely, accountId, { unlimited: one.unlimited })
      model.unlimited = one.unlimited
    } else if (one.do === 'key') {
      // A key stays closed. Here it opens again, so that the rest of the story is worth telling.
      await sql`update meter_keys set live = ${one.live} where key_id = ${keyIds[one.key]!}`.execute(kysely)
      model.keys[one.key]!.live = one.live
    } else if (one.do === 'debt') {
      await change(sql`debt_credits = ${one.credits}`)
      model.debt = one.credits
    } else if (one.do === 'alert') {
      expect(await takeAlertDue(kysely, accountId)).toBe(model.alerted)
      await setNextAlert(kysely, accountId, one.below)
      model.alerted = false
      model.alertBelow = one.below ?? -1
    } else if (one.do === 'hold') {
      const { key, most } = one
      const charge = one.charge && !one.alone
      const terms = { most, seconds: 3_600, ...(charge && { onExpiry: 'charge' as const, toolId: 1 }) }
      const { id, refusal } = one.alone
        ? await holdAlone(caller(key), most)
        : await meter
            .hold(caller(key), terms)
            .then((outcome) =>
              outcome?.kind === 'held' ? { ...outcome, refusal: null } : { id: '', refusal: outcome?.code },
            )
      expect(refusal).toBe(model.hold(now, i, { key, most, charge, alone: one.alone === true }))
      if (!one.alone) await noteBatch()
      if (refusal === null) {
        holds.push({ id, n: i })
        numbers.set(id, i)
      }
    } else if (one.do === 'release') {
      const held = holds.pop()
      if (held && one.alone) {
        const { rows } = await sql`select credit_release(${held.id}) as done`.execute(kysely)
        expect(rows).toEqual([{ done: model.end(now, held.n) }])
      } else if (held) {
        expect(await meter.release(caller(null), held.id)).toBe(model.release(now, held.n))
        model.last = null
        await noteBatch()
      }
    } else if (one.do === 'take back') {
      const held = holds.at(-1)
      if (!one.hold) {
        await sql`select meter_void(${lastBatch})`.execute(kysely)
        const late = sql`select meter_recorded(${lastBatch})`.execute(kysely)
        await expect(late).rejects.toThrow('was given up')
        model.takeBackLast(now)
      } else if (held) {
        const { rows } = await sql`
          select meter_void(id) from meter_batches where ${held.id}::uuid = any (holds)`.execute(kysely)
        if (rows.length > 0) model.takeBackHold(now, held.n)
      }
      // One that was given up is noted as a batch, too.
      knownBatches = await batchIds()
    } else if (one.do === 'sweep') {
      await sweep()
    } else {
      await call(one, i)
      await noteBatch()
    }
    expect({ i, did: one.do, ...(await readRows(kysely, accountId, keyIds, numbers)) }).toEqual({
      i,
      did: one.do,
      ...modelRows(model, now),
    })
    for (const key of ['a', 'b'])
      expect(await wasCharged(fixture.db, accountId, key)).toBe(model.recent(now, key) !== undefined)
    if (model.told) await expect.poll(() => told.has(accountId)).toBe(true)
  }

  async function noteBatch() {
    const batches = await batchIds()
    lastBatch = [...batches].find((id) => !knownBatches.has(id)) ?? lastBatch
    knownBatches = batches
    lastAt = now
  }

  /** As endExpiredHolds does, in the order in which it finds them. */
  async function sweep() {
    const { rows } = await sql<{ id: string }>`select id from credit_holds where account_id = ${accountId}`.execute(
      kysely,
    )
    for (const { id } of rows) {
      const n = numbers.get(id)!
      const isOver = model.holds.get(n)!.until <= now
      const ended = await sql`select credit_expire(${id}) as ended`.execute(kysely)
      expect(ended.rows).toEqual([{ ended: isOver && model.end(now, n) }])
    }
  }

  async function holdAlone({ keyId }: { keyId: number | null }, most: number) {
    const id = randomUUID() as string
    const ask = () =>
      sql<{ outcome: string; balance: number }>`
        select outcome, balance from credit_hold(${id}, ${accountId}, ${keyId ?? 0}, ${most}, 3600)`.execute(kysely)
    const [asked] = (await ask()).rows
    const refusal = asked!.outcome === 'held' ? null : asked!.outcome
    // A repeat holds nothing more.
    if (refusal === null) expect((await ask()).rows).toEqual([asked])
    return { id, refusal }
  }

  async function call(one: Extract<Operation, { do: 'call' }>, i: number) {
    // Some holds are settled twice, and some after their expiry.
    const held = one.held ? (one.again === 0 ? holds.at(-1) : holds.pop()) : undefined
    const { key, credits, success, request, answer } = one
    const idempotency = one.keyed === null ? null : { key: one.keyed, request, answer }
    const outcome = await meters[i % 2]!.commit({
      ...caller(key),
      toolId: 1,
      credits,
      status: success ? 'success' : 'failed',
      durationMs: i,
      ...(idempotency && {
        idempotency: { key: idempotency.key, requestHash: request, ...(answer && { answerHash: answer }) },
      }),
      ...(held && { holdId: held.id }),
    })
    const decided = model.call(now, { key, credits, success, idempotency, hold: held?.n ?? null, durationMs: i })
    const receipt = outcome.kind === 'refused' ? undefined : outcome.receiptId
    if (outcome.kind === 'charged') model.charges.at(-1)!.receipt = receipt!
    if (outcome.kind !== 'refused') expect(outcome.unlimited).toBe(model.unlimited)
    expect({
      name: outcome.kind === 'refused' ? outcome.code : outcome.kind,
      charged: outcome.kind === 'refused' ? 0 : outcome.creditsCharged,
      remaining: outcome.creditsRemaining,
    }).toEqual({ name: decided.name, charged: decided.charged, remaining: decided.remaining })
    if (decided.first?.receipt) expect(receipt).toBe(decided.first.receipt)
  }
}
