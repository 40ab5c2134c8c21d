import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Credited } from '../stripe/credit-notes.ts'
import { divide, eachTaxOfReturn, taxOfReturn } from '../taxes/tax-of-return.ts'

/** The source of the part of a payment that is tax, and of what of it went back. */
const TAX = 'tax'

/** The source of a return whose payment is not known yet, and of payments for none of the others. */
const UNKNOWN = 'other'

interface Payment {
  accountId: number
  /** The invoice; for a top-up without one, `topup:` and its id. */
  ref: string
  topupId: number | null
  currency: string
  /** What was paid in total, in cents. */
  cents: number
  /** Of it, the tax. */
  taxCents: number
  /** The same of each tax of the invoice; default: in proportion. */
  eachTax?: number[] | null
  /** The plan periods in it, without tax. */
  plans: { priceId: string; cents: number; prepays: boolean }[]
  /** What the rest of it paid for: packs, metered usage, or other lines, such as corrections of a changed plan. */
  rest: 'pack' | 'payg' | 'other'
}

/** Enters a payment in the ledger of money, in the caller's transaction: what is not in it yet, however often this runs. */
export async function bookPayment(tx: Queryable, payment: Payment): Promise<void> {
  const { accountId, ref, topupId, currency, cents, taxCents, eachTax, plans, rest } = payment
  const { booked, isNew } = await tx
    .selectFrom('money_ledger')
    .select(sql<number>`coalesce(sum(cents), 0)::bigint`.as('booked'))
    // Not whether the sum is 0, which it is for what the provider took from the customer's balance.
    .select(sql<boolean>`count(*) = 0`.as('isNew'))
    .where('cause', '=', 'payment')
    .where((where) =>
      where.or([where('ref', '=', ref), ...(topupId === null ? [] : [where('topup_id', '=', topupId)])]),
    )
    .executeTakeFirstOrThrow()
  const shares = isNew ? plans.filter((plan) => plan.cents !== 0) : []
  const tax = isNew ? taxCents : 0
  const left = cents - booked - tax - shares.reduce((sum, share) => sum + share.cents, 0)
  const line = { account_id: accountId, cause: 'payment', ref, topup_id: topupId, currency }
  const lines = [
    ...shares.map((share) => ({
      ...line,
      source: `plan:${share.priceId}`,
      cents: share.cents,
      prepays: share.prepays,
    })),
    ...(tax === 0
      ? []
      : [{ ...line, source: TAX, cents: tax, prepays: false, tax_shares: eachTax ? JSON.stringify(eachTax) : null }]),
    ...(left === 0 ? [] : [{ ...line, source: rest, cents: left, prepays: rest === 'pack' }]),
  ]
  if (lines.length > 0) await tx.insertInto('money_ledger').values(lines).execute()
}

interface Return {
  accountId: number
  chargeId: string
  paymentIntentId: string
  /** Of the charge. */
  cents: number
  /** Credit notes of its refunds; null: it has none. */
  credited: Credited | null
  /** Of its invoice, the cents of each tax. */
  taxes: number[]
  currency: string
  /** Of the charge, in cents, by now: refunded, and held by an open or lost dispute. */
  refunded: number
  disputed: number
  /** When its credits began to be taken back, under the account's lock. */
  voidsSince: Date
}

/** Enters what changed of a charge's refunds and disputes, in the transaction that takes its credits back or returns them. */
export async function bookReturn(tx: Queryable, given: Return): Promise<void> {
  const { accountId, chargeId, paymentIntentId, cents, currency, voidsSince, credited } = given
  const { rows } = await sql<{ source: string; cents: number; tax_shares: number[] | null }>`
    select source, cents, tax_shares from money_ledger where cause = 'payment' and ref in (
      select id from invoices where payment_intent_id = ${paymentIntentId}
      union all select 'topup:' || id from topups where payment_intent_id = ${paymentIntentId})
    order by cents desc`.execute(tx)
  const source = rows.find((row) => row.source !== TAX)?.source ?? UNKNOWN
  const tax = rows.reduce((sum, row) => sum + (row.source === TAX ? row.cents : 0), 0)
  const refundedTax = taxOfReturn({ cents, tax, returned: given.refunded, credited })
  const disputedTax = taxOfReturn({ cents, tax, returned: given.refunded + given.disputed, credited }) - refundedTax
  const paidEach = rows.find((row) => row.tax_shares)?.tax_shares ?? divide(tax, given.taxes)
  const eachOf = (returned: number, taxCents: number) => {
    if (!credited?.each || credited.each.length !== paidEach.length) return null
    const noted = credited.cents <= returned ? credited.each : paidEach.map(() => 0)
    return eachTaxOfReturn(taxCents, paidEach, noted)
  }
  const refundedEach = eachOf(given.refunded, refundedTax)
  const allEach = eachOf(given.refunded + given.disputed, refundedTax + disputedTax)
  for (const [cause, target, taxTarget, eachTarget] of [
    ['refund', given.refunded, refundedTax, refundedEach],
    [
      'dispute',
      given.disputed,
      disputedTax,
      refundedEach && (allEach?.map((one, at) => one - refundedEach[at]!) ?? null),
    ],
  ] as const) {
    const { net, taxes } = await tx
      .selectFrom('money_ledger')
      .select(sql<number>`coalesce(-sum(cents) filter (where source <> ${TAX}), 0)::bigint`.as('net'))
      .select(sql<number>`coalesce(-sum(cents) filter (where source = ${TAX}), 0)::bigint`.as('taxes'))
      .where('ref', '=', chargeId)
      .where('cause', '=', cause)
      .executeTakeFirstOrThrow()
    const line = { account_id: accountId, cause, ref: chargeId, currency }
    // Heard of before its payment, it was booked without a source: now that this is known, the return is moved to it.
    const { unknown } = await tx
      .selectFrom('money_ledger')
      .select(sql<number>`coalesce(-sum(cents), 0)::bigint`.as('unknown'))
      .where('ref', '=', chargeId)
      .where('cause', '=', cause)
      .where('source', '=', UNKNOWN)
      .executeTakeFirstOrThrow()
    const moved = source === UNKNOWN ? 0 : unknown
    const shares =
      eachTarget && (await sharesLeft(tx, { cause, ref: chargeId, taxes: given.taxes, target: eachTarget }))
    const lines = [
      { ...line, source: UNKNOWN, cents: moved, voids_since: null },
      { ...line, source, cents: -moved, voids_since: voidsSince },
      { ...line, source, cents: net - (target - taxTarget), voids_since: voidsSince },
      { ...line, source: TAX, cents: taxes - taxTarget, voids_since: null },
    ].filter((one) => one.cents !== 0)
    // The line of tax, or where its sum stays and only its parts move, another one.
    const told = lines.at(-1)
    if (told && shares) Object.assign(told, { tax_shares: JSON.stringify(shares) })
    if (lines.length > 0) await tx.insertInto('money_ledger').values(lines).execute()
  }
}

/** Of each tax, what the ledger lacks until `target` has gone back. */
async function sharesLeft(
  tx: Queryable,
  { cause, ref, taxes, target }: { cause: string; ref: string; taxes: number[]; target: number[] },
): Promise<number[]> {
  const rows = await tx
    .selectFrom('money_ledger')
    .select(['source', 'cents', 'tax_shares'])
    .where('ref', '=', ref)
    .where('cause', '=', cause)
    .execute()
  const divided = rows.reduce((sum, row) => sum + (row.source === TAX && !row.tax_shares ? row.cents : 0), 0)
  return divide(divided, taxes).map((share, at) =>
    rows.reduce((left, row) => left - ((row.tax_shares as number[] | null)?.[at] ?? 0), -target[at]! - share),
  )
}
