import type { Selectable } from 'kysely'
import type { Plans } from '../../../db/schema.gen.ts'
import { accountOfCustomer, type EventContext } from '../events/event-context.ts'
import { ensurePlan } from '../plans/ensure-plan.ts'
import { isPayAsYouGo } from '../plans/plan-rules.ts'
import { creditedBefore } from '../stripe/credit-notes.ts'
import { fetchInvoice, type InvoiceFacts, type LineFacts } from '../stripe/fetch-invoice.ts'
import { holdDraft } from '../stripe/usage.ts'
import { applyTopup } from '../topups/apply-topup.ts'
import { reverseLate } from './apply-reversal.ts'
import { bookPayment } from './book-money.ts'
import { grantLine } from './grant-line.ts'
import { voidUnpaid } from './void-unpaid.ts'

/**
 * Syncs our copy of an invoice with Stripe and grants what its paid lines bought: each plan period and each top-up
 * once, however often this runs. Returns what it read, or null when the customer is not ours.
 */
export async function applyInvoice(ctx: EventContext, id: string): Promise<InvoiceFacts | null> {
  const facts = await fetchInvoice(ctx.stripe, id)
  const accountId = await accountOfCustomer(ctx.tx, facts.customerId)
  if (accountId === null) return null
  await copyInvoice(ctx, accountId, facts)
  ctx.step?.('invoice written')
  const plans: Parameters<typeof bookPayment>[1]['plans'] = []
  let usage = facts.minimumCents > 0
  for (const line of facts.lines) {
    if (line.priceId === null || line.proration) continue
    const plan = await ensurePlan(ctx, line.priceId, facts.currency)
    if (plan && isMetered(plan)) {
      usage = true
      await noteUsagePeriod(ctx, accountId, facts, line)
    } else if (plan)
      plans.push({
        priceId: line.priceId,
        cents: line.cents,
        prepays: plan.credits > 0 && plan.price_cents > 0,
      })
    if (plan && !isMetered(plan) && facts.status === 'paid')
      await grantLine(ctx, { accountId, invoice: facts, line, plan })
  }
  if (facts.status === 'paid') await book(ctx, accountId, facts, plans, usage)
  if (facts.topupId !== null && facts.status === 'paid')
    await applyTopup(ctx, facts.topupId, {
      accountId,
      totalCents: facts.totalCents,
      paidCents: facts.paidCents,
      taxCents: facts.taxCents,
      addedTaxCents: facts.addedTaxCents,
      currency: facts.currency,
      invoiceId: facts.id,
      paymentIntentId: facts.paymentIntentId,
    })
  if (facts.status === 'paid') await reverseLate(ctx, facts.paymentIntentId)
  if (facts.status === 'open' && facts.subscriptionId !== null) await voidUnpaid(ctx, facts.subscriptionId)
  return facts
}

async function book(
  { tx, stripe }: EventContext,
  accountId: number,
  facts: InvoiceFacts,
  plans: Parameters<typeof bookPayment>[1]['plans'],
  usage: boolean,
): Promise<void> {
  const rest = await tx
    .selectFrom('payg_invoices')
    .select('invoice_id')
    .where('rest_invoice_id', '=', facts.id)
    .executeTakeFirst()
  const before = facts.creditedCents > 0 ? await creditedBefore(stripe, facts.id, facts.taxes?.length ?? 0) : null
  await bookPayment(tx, {
    accountId,
    ref: facts.id,
    topupId: facts.topupId,
    currency: facts.currency,
    cents: facts.paidCents,
    taxCents: facts.taxCents - (before?.taxCents ?? 0),
    eachTax: before?.each ? facts.taxes!.map(({ cents }, at) => cents - before.each![at]!) : null,
    plans,
    rest: facts.topupId !== null ? 'pack' : usage || rest ? 'payg' : 'other',
  })
}

const isMetered = (plan: Selectable<Plans>) => isPayAsYouGo({ metadata: plan.metadata as Record<string, string> })

async function copyInvoice({ tx }: EventContext, accountId: number, facts: InvoiceFacts): Promise<void> {
  const values = {
    number: facts.number,
    status: facts.status,
    currency: facts.currency,
    amount_cents: facts.totalCents,
    paid_cents: facts.status === 'paid' ? facts.paidCents : 0,
    subscription_id: facts.subscriptionId,
    payment_intent_id: facts.paymentIntentId,
    topup_id: facts.topupId,
    tax_cents: facts.taxCents,
    added_tax_cents: facts.addedTaxCents,
    taxes: facts.taxes && JSON.stringify(facts.taxes),
    created_at: facts.createdAt,
  }
  await tx
    .insertInto('invoices')
    .values({ id: facts.id, account_id: accountId, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute()
}

/**
 * A pay-as-you-go period that this invoice bills (the opening invoice bills none). Its draft is held until the last
 * hour is counted; bill-usage releases it.
 */
async function noteUsagePeriod(
  { tx, stripe }: EventContext,
  accountId: number,
  facts: InvoiceFacts,
  line: LineFacts,
): Promise<void> {
  if (facts.opening || line.priceId === null) return
  await tx
    .insertInto('payg_invoices')
    .values({
      invoice_id: facts.id,
      account_id: accountId,
      price_id: line.priceId,
      period_start: line.start,
      period_end: line.end,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  if (facts.status !== 'draft' || !facts.autoAdvance) return
  const { units } = await tx
    .selectFrom('payg_invoices')
    .select('units')
    .where('invoice_id', '=', facts.id)
    .executeTakeFirstOrThrow()
  if (units === null) await holdDraft(stripe, facts.id)
}
