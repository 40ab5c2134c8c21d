import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

interface Payment {
  accountId: number
  /** The invoice; for a top-up without one, `topup:` and its id. */
  ref: string
  topupId: number | null
  currency: string
  /** What was paid in total, in cents. */
  cents: number
  /** The plan periods in it. */
  plans: { priceId: string; cents: number; prepays: boolean }[]
  /** What the rest of it paid for: packs, metered usage, or other lines, such as corrections of a changed plan. */
  rest: 'pack' | 'payg' | 'other'
}

/** Enters a payment in the ledger of money, in the caller's transaction: what is not in it yet, however often this runs. */
export async function bookPayment(tx: Queryable, payment: Payment): Promise<void> {
  const { accountId, ref, topupId, currency, cents, plans, rest } = payment
  const { booked } = await tx
    .selectFrom('money_ledger')
    .select(sql<number>`coalesce(sum(cents), 0)::bigint`.as('booked'))
    .where('cause', '=', 'payment')
    .where((where) =>
      where.or([where('ref', '=', ref), ...(topupId === null ? [] : [where('topup_id', '=', topupId)])]),
    )
    .executeTakeFirstOrThrow()
  const shares = booked === 0 ? plans.filter((plan) => plan.cents !== 0) : []
  const left = cents - booked - shares.reduce((sum, share) => sum + share.cents, 0)
  const line = { account_id: accountId, cause: 'payment', ref, topup_id: topupId, currency }
  const lines = [
    ...shares.map((share) => ({
      ...line,
      source: `plan:${share.priceId}`,
      cents: share.cents,
      prepays: share.prepays,
    })),
    ...(left === 0 ? [] : [{ ...line, source: rest, cents: left, prepays: rest === 'pack' }]),
  ]
  if (lines.length > 0) await tx.insertInto('money_ledger').values(lines).execute()
}

interface Return {
  accountId: number
  chargeId: string
  paymentIntentId: string
  currency: string
  /** Of the charge, in cents, by now: refunded, and held by an open or lost dispute. */
  refunded: number
  disputed: number
  /** When its credits began to be taken back, under the account's lock. */
  voidsSince: Date
}

/** Enters what changed of a charge's refunds and disputes, in the transaction that takes its credits back or returns them. */
export async function bookReturn(tx: Queryable, given: Return): Promise<void> {
  const { accountId, chargeId, paymentIntentId, currency, voidsSince } = given
  const { rows } = await sql<{ source: string }>`
    select source from money_ledger where cause = 'payment' and ref in (
      select id from invoices where payment_intent_id = ${paymentIntentId}
      union all select 'topup:' || id from topups where payment_intent_id = ${paymentIntentId})
    order by cents desc limit 1`.execute(tx)
  const source = rows[0]?.source ?? 'other'
  for (const [cause, target] of [
    ['refund', given.refunded],
    ['dispute', given.disputed],
  ] as const) {
    const { booked } = await tx
      .selectFrom('money_ledger')
      .select(sql<number>`coalesce(-sum(cents), 0)::bigint`.as('booked'))
      .where('ref', '=', chargeId)
      .where('cause', '=', cause)
      .executeTakeFirstOrThrow()
    if (target === booked) continue
    await tx
      .insertInto('money_ledger')
      .values({
        account_id: accountId,
        cause,
        ref: chargeId,
        source,
        currency,
        cents: booked - target,
        voids_since: voidsSince,
      })
      .execute()
  }
}
