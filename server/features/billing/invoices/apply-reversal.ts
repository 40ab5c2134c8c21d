import { type Selectable, sql } from 'kysely'
import { enterBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Reversals } from '../../../db/schema.gen.ts'
import { grantCredits } from '../../credits/grant.ts'
import { holdCharges } from '../../credits/set-entitlements.ts'
import { voidCredits } from '../../credits/void.ts'
import { accountOfCustomer, type EventContext, lockCharge } from '../events/event-context.ts'
import { creditRefunds } from '../stripe/credit-notes.ts'
import { fetchCharge } from '../stripe/fetch-charge.ts'
import type { TaxLine } from '../stripe/fetch-invoice.ts'
import { bookReturn } from './book-money.ts'

interface Grant {
  id: number
  remaining: number
  /** Credits that the payment bought: 0 for those that an earlier reversal gave back. */
  bought: number
}

/**
 * Takes back the credits of refunded money: the same share of the payment's grants as of its cents. Credits that were
 * already spent are recorded; only the operator turns them into a debt (claim-spent.ts). An open dispute counts as
 * refunded; winning it returns the credits. Works from the charge's current state, so it may run in any order, any
 * number of times.
 */
export async function applyReversal(ctx: EventContext, chargeId: string): Promise<void> {
  const { tx, stripe } = ctx
  await lockCharge(tx, chargeId)
  const charge = await fetchCharge(stripe, chargeId)
  if (charge.customerId === null || charge.paymentIntentId === null) return
  const accountId = await accountOfCustomer(tx, charge.customerId)
  if (accountId === null) return
  const disputed = (await isDisputed(ctx, chargeId)) ? charge.cents - charge.refundedCents : 0
  const reversed = charge.refundedCents + disputed
  const taxed = await creditTaxed(ctx, charge.paymentIntentId, chargeId)
  const kept = await tx
    .selectFrom('reversals')
    .selectAll()
    .where('charge_id', '=', chargeId)
    .forUpdate()
    .executeTakeFirst()
  const before = (kept?.voided ?? 0) + (kept?.spent ?? 0)
  // Nothing was taken if it was heard of before the payment was: what the payment has granted since is taken now.
  if (reversed === (kept?.reversed_cents ?? 0) && (reversed === 0 || before > 0)) return
  await enterBucket(tx, accountId)
  // From here on nobody else takes credits from the account, so those taken until the booking are this charge's.
  await holdCharges(tx, accountId)
  const { rows: clock } = await sql<{ at: Date }>`select app_now() as at`.execute(tx)
  const grants = await grantsOfPayment(tx, charge.paymentIntentId, chargeId)
  const granted = grants.reduce((sum, { bought }) => sum + bought, 0)
  const target = Math.floor((granted * reversed) / charge.cents)
  let voided = 0
  for (const { id } of target > before ? grants : []) voided += await voidCredits(tx, id, target - before - voided)
  ctx.step?.('credits voided')
  // Money that comes back pays for spent credits first: what is voided is given back only beyond what is still reversed.
  const taken = (kept?.voided ?? 0) + voided
  const row = { reversed_cents: reversed, voided: Math.min(taken, target), spent: Math.max(0, target - taken) }
  const forgiven = kept ? overclaimed(kept, row.spent) : 0
  await giveBack(ctx, accountId, chargeId, taken - row.voided + forgiven)
  await tx
    .insertInto('reversals')
    .values({
      charge_id: chargeId,
      account_id: accountId,
      payment_intent_id: charge.paymentIntentId,
      cents: charge.cents,
      ...row,
    })
    .onConflict((conflict) =>
      conflict.column('charge_id').doUpdateSet({ ...row, forgiven: (kept?.forgiven ?? 0) + forgiven }),
    )
    .execute()
  await bookReturn(tx, {
    accountId,
    chargeId,
    paymentIntentId: charge.paymentIntentId,
    cents: charge.cents,
    ...taxed,
    currency: charge.currency,
    refunded: charge.refundedCents,
    disputed,
    voidsSince: clock[0]!.at,
  })
}

/** Credit notes for what was refunded of an invoice with taxes, and what it has of each tax. */
async function creditTaxed({ tx, stripe, log }: EventContext, paymentIntentId: string, chargeId: string) {
  const taxed = await tx
    .selectFrom('invoices')
    .select(['id', 'taxes'])
    .where('payment_intent_id', '=', paymentIntentId)
    .where('taxes', 'is not', null)
    .executeTakeFirst()
  if (!taxed) return { credited: null, taxes: [] }
  const taxes = (taxed.taxes as unknown as TaxLine[]).map(({ cents }) => cents)
  const credited = await creditRefunds(stripe, { invoiceId: taxed.id, taxCount: taxes.length, chargeId, log })
  return { credited, taxes }
}

/** Takes what a payment has just granted, if its money was returned before. */
export async function reverseLate(ctx: EventContext, paymentIntentId: string | null): Promise<void> {
  if (paymentIntentId === null) return
  const known = await ctx.tx
    .selectFrom('reversals')
    .select('charge_id')
    .where('payment_intent_id', '=', paymentIntentId)
    .where('reversed_cents', '>', 0)
    .execute()
  for (const { charge_id } of known) await applyReversal(ctx, charge_id)
}

/** Credits claimed as debt although their money has since come back: a new grant pays the debt or replaces what paid it. */
const overclaimed = ({ claimed, forgiven }: Selectable<Reversals>, spent: number): number =>
  Math.max(0, claimed - forgiven - spent)

/** Dispute outcomes that leave the money with us. */
const HARMLESS = ['won', 'prevented', 'warning_closed']
const FINAL = [...HARMLESS, 'lost']

/** Records the state of a dispute and takes back, or returns, its credits. */
export async function applyDispute(
  ctx: EventContext,
  id: string,
  dispute: { chargeId: string; status: string },
): Promise<void> {
  const { chargeId, status } = dispute
  await ctx.tx
    .insertInto('disputes')
    .values({ id, charge_id: chargeId, status })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ status }).where('disputes.status', 'not in', FINAL))
    .execute()
  await applyReversal(ctx, chargeId)
  await ctx.tx
    .updateTable('auto_topups')
    .set({ suspended_reason: 'dispute' })
    .where('account_id', 'in', (from) =>
      from.selectFrom('reversals').select('account_id').where('charge_id', '=', chargeId),
    )
    .where('suspended_reason', 'is', null)
    .where((where) =>
      where.exists(where.selectFrom('disputes').select('id').where('id', '=', id).where('status', 'not in', HARMLESS)),
    )
    .execute()
}

/** During an open or lost dispute the money is with the cardholder's bank. */
async function isDisputed({ tx }: EventContext, chargeId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('disputes')
    .select('id')
    .where('charge_id', '=', chargeId)
    .where('status', 'not in', HARMLESS)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Grants that a payment bought, by top-up or invoice line, and what earlier reversals of its charge gave back. Newest first: the least is
 * spent there.
 */
export async function grantsOfPayment(tx: Queryable, paymentIntentId: string, chargeId: string): Promise<Grant[]> {
  const { rows } = await sql<Grant>`
    select g.id, g.remaining, case when g.source_type = 'reversal' then 0 else g.amount end as bought from credit_grants g
    where (g.source_type = 'reversal' and split_part(g.source_id, ':', 1) = ${chargeId})
      or (g.source_type = 'plan_line' and split_part(g.source_id, ':', 1) in (
        select l.id from invoice_lines l join invoices i on i.id = l.invoice_id where i.payment_intent_id = ${paymentIntentId}))
      or (g.source_type = 'topup' and g.source_id in (
        select id::text from topups where payment_intent_id = ${paymentIntentId}
        union select topup_id::text from invoices where payment_intent_id = ${paymentIntentId}))
    order by g.created_at desc, g.id desc`.execute(tx)
  return rows
}

/** Returns the credits of money that came back, as a new grant. */
async function giveBack({ tx }: EventContext, accountId: number, chargeId: string, amount: number): Promise<void> {
  if (amount === 0) return
  const { rows } = await sql<{ n: number }>`
    select count(*)::bigint as n from credit_grants where source_type = 'reversal' and source_id like ${`${chargeId}:%`}`.execute(
    tx,
  )
  await grantCredits(tx, {
    accountId,
    kind: 'restore',
    amount,
    sourceType: 'reversal',
    sourceId: `${chargeId}:${rows[0]?.n ?? 0}`,
  })
}
