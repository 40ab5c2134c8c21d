import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { setSuspended } from '../../account/set-suspended.ts'
import { type GrantKind, grantCredits } from '../../credits/grant.ts'
import { voidCredits } from '../../credits/void.ts'
import type { Charging } from '../charging.ts'
import { endExpiredHolds } from '../holds.ts'
import { setKeyBudget } from '../keys.ts'
import type { Meter } from '../meter.ts'
import { decodeReceiptId } from '../receipt-id.ts'
import { type MeterFixture, moveClockTo } from './meter-fixture.ts'
import { AccountModel, type ModelGrant } from './operations-model.ts'

const HOUR = 3_600_000
export const PRIORITIES = { free: 10, trial: 10, plan: 20, promo: 30, topup: 50 } as const satisfies Partial<
  Record<GrantKind, number>
>

export type Operation =
  | {
      do: 'call'
      credits: number
      success: boolean
      keyed: string | null
      request: string
      held: boolean
      again: number
    }
  | { do: 'grant'; kind: keyof typeof PRIORITIES; amount: number; fromHours: number; hours: number | null }
  | { do: 'void'; which: number; amount: number }
  /** Hours since the start of the story, or since the end of the UTC month in which it starts. */
  | { do: 'clock'; since: 'start' | 'month'; hours: number }
  | { do: 'settle' }
  | { do: 'sweep' }
  | { do: 'release' }
  /** The response to the last charged call was lost. */
  | { do: 'take back' }
  | { do: 'budget'; budget: number | null }
  | { do: 'payg'; left: number | null }
  | { do: 'suspend'; blocked: boolean }
  | { do: 'key'; live: boolean }
  | { do: 'hold'; most: number; charge: boolean }

/** The end of the UTC month. Times are ms. */
const monthEnd = (at: number): number => Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + 1)

/** Carries the operations out on a new account, on two servers in turn, and compares it with the model after each. `start`: ms. */
export async function playOperations(
  fixture: MeterFixture,
  meters: readonly (Meter & Charging)[],
  start: number,
  operations: readonly Operation[],
): Promise<void> {
  const { kysely } = fixture.db
  await moveClockTo(fixture, new Date(start))
  const account = await fixture.account()
  await sql`update credit_accounts set payg_enabled = true where account_id = ${account.accountId}`.execute(kysely)
  const model = new AccountModel()
  const grantIds: { id: number; grant: ModelGrant }[] = []
  const holds: { id: string; n: number }[] = []
  let hours = 0
  let lastBatch = randomUUID() as string
  for (const [i, one] of operations.entries()) {
    const now = start + hours * HOUR
    const meter = meters[i % 2]!
    if (one.do === 'clock') {
      const offset = hours
      hours = one.hours + (one.since === 'month' ? (monthEnd(start) - start) / HOUR : 0)
      await sql`update app_clock set offset_by = offset_by + make_interval(secs => ${(hours - offset) * 3_600})`.execute(
        kysely,
      )
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
    } else if (one.do === 'take back') {
      await sql`select meter_void(${lastBatch})`.execute(kysely)
      model.takeBackCharge()
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
      if (outcome.kind === 'charged') lastBatch = decodeReceiptId(outcome.receiptId)!.batch
      expect({
        name: outcome.kind === 'refused' ? outcome.code : outcome.kind,
        charged: outcome.kind === 'refused' ? 0 : outcome.creditsCharged,
      }).toEqual(model.call(now, { credits: one.credits, success: one.success, idempotency, hold: held?.n ?? null }))
    }
    const { rows } = await sql`
      select balance, payg_left, payg_used, case when budget_until <= app_now() then monthly_budget when monthly_budget is not null then budget_left end as budget
      from credit_accounts join meter_keys using (account_id) where account_id = ${account.accountId}`.execute(kysely)
    expect({ i, did: one.do, ...(rows[0] as object) }).toEqual({
      i,
      did: one.do,
      balance: model.balance,
      payg_left: model.payg,
      payg_used: model.paygUsed,
      budget: model.budgetLeft(start + hours * HOUR),
    })
  }
}
