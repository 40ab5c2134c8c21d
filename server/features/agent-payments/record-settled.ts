import { sql } from 'kysely'
import type { Database, Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { grantCredits } from '../credits/grant.ts'
import { commitPaid } from '../metering/commit-paid.ts'
import type { CommitOutcome, MeteredCall } from '../metering/meter.ts'
import { requireSales } from '../switches/switches.ts'
import { openBalance, topUpBalance } from './balance/open-balance.ts'

export const GRANT_SOURCE = 'agent_payment'

/** What a settled payment has become: a charge, or a balance. */
export interface Recorded {
  charge: CommitOutcome | null
}

/**
 * Notes that a payment will be settled now, durably, with the call to charge when it is, if it is for one. Throws billing_unavailable (sales were stopped during
 * the work), account_suspended, payment_in_progress (the claim is over or somebody else's): then nothing may be settled.
 */
export function beginSettling(
  { kysely }: Database,
  { id, attempt }: { id: number; attempt: number },
  call: MeteredCall | null,
): Promise<void> {
  return kysely.transaction().execute(async (tx) => {
    await requireSales(tx)
    const { rows } = await sql<{ suspended: boolean }>`
      update agent_payments p set state = 'settling', settling_at = app_now(), call = ${call && JSON.stringify(call)}::jsonb from accounts a
      where p.id = ${id} and attempt = ${attempt} and state = 'claimed' and claimed_until > app_now() and a.id = p.account_id
      returning a.suspended_at is not null as suspended`.execute(tx)
    if (!rows[0]) throw new AppError('payment_in_progress')
    if (rows[0].suspended) throw new AppError('account_suspended')
  })
}

interface Payment {
  id: number
  credits: number
  account_id: number
  call: MeteredCall | null
}

/**
 * Writes a settled payment, the credits that it bought, and the call that it paid with its receipt or the account and key of a balance, in
 * one transaction, once. Returns null if it was written before.
 */
export function recordSettled(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  id: number,
  reference: string,
): Promise<Recorded | null> {
  return db.kysely.transaction().execute(async (tx) => {
    await sql`select set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'
      else current_setting('synchronous_commit') end, true)`.execute(tx)
    const { rows } = await sql<Payment & { state: string; product: 'call' | 'balance' }>`
      select id, credits, account_id, call, state, product from agent_payments where id = ${id} for no key update`.execute(
      tx,
    )
    const payment = rows[0]!
    if (payment.state === 'settled') return null
    const isCall = payment.product === 'call'
    const accountId =
      isCall || (await topUpBalance(tx, payment)) ? payment.account_id : await openBalance(tx, secrets, payment)
    await grantCredits(tx, {
      accountId,
      kind: 'topup',
      amount: payment.credits,
      sourceType: GRANT_SOURCE,
      sourceId: String(id),
    })
    const charge = isCall ? await chargeCall(tx, payment) : null
    await sql`update agent_payments set state = 'settled', account_id = ${accountId}, reference = ${reference},
      receipt_id = ${charge?.receiptId ?? null}, reason = null, decided_at = app_now() where id = ${id}`.execute(tx)
    return { charge }
  })
}

async function chargeCall(tx: Queryable, { id, call }: Payment) {
  const outcome = await commitPaid(tx, call!)
  if (outcome.kind !== 'charged') throw new Error(`The call of payment ${id} could not be charged: ${outcome.kind}.`)
  return outcome
}

/** Notes what became of a payment that was not settled, unless it is known already. */
export async function noteOutcome(
  { kysely }: Database,
  id: number,
  state: 'failed' | 'unknown',
  reason: string,
): Promise<void> {
  await sql`update agent_payments set state = ${state}, reason = ${reason}, decided_at = case when ${state} = 'failed' then app_now() end,
    looked_at = app_now() where id = ${id} and state in ('settling', 'unknown')`.execute(kysely)
}

/** Gives up a claim whose work brought nothing: the same payment may be used again. */
export async function releaseClaim(
  { kysely }: Database,
  { id, attempt }: { id: number; attempt: number },
): Promise<void> {
  await sql`update agent_payments set state = 'released' where id = ${id} and attempt = ${attempt} and state = 'claimed'`.execute(
    kysely,
  )
}
