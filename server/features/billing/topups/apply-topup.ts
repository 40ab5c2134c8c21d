import { sql } from 'kysely'
import { grantCredits } from '../../credits/grant.ts'
import { noteCurrency } from '../account-currency.ts'
import type { EventContext } from '../events/event-context.ts'
import { bookPayment } from '../invoices/book-money.ts'

interface Payment {
  accountId: number
  /** With tax. */
  totalCents: number
  /** Of it, the money: the rest was paid from the balance that the provider keeps for the customer. */
  paidCents: number
  /** Of the total, what is tax, and what of the tax is on top of the price; default 0. */
  taxCents?: number
  addedTaxCents?: number
  currency: string | null
  invoiceId: string | null
  paymentIntentId: string | null
}

/**
 * Grants a paid top-up once, whether session, invoice or reconciliation reports it first. A payment that does not match
 * (another account, amount or currency) grants nothing and is logged for the operator.
 */
export async function applyTopup(ctx: EventContext, topupId: number, payment: Payment): Promise<void> {
  const { tx, log } = ctx
  const topup = await tx.selectFrom('topups').selectAll().where('id', '=', topupId).forUpdate().executeTakeFirst()
  const { currency } = payment
  const isOther = !currency || (topup?.currency ?? currency) !== currency
  const netCents = payment.totalCents - (payment.addedTaxCents ?? 0)
  if (!topup || topup.account_id !== payment.accountId || topup.cents !== netCents || isOther) {
    log.error(
      { topup: topupId, invoice: payment.invoiceId, cents: payment.totalCents, currency },
      'a payment matches no top-up',
    )
    return
  }
  await tx
    .updateTable('topups')
    .set({
      status: 'paid',
      currency,
      failure_code: null,
      action_url: null,
      phase: null,
      closed_at: sql`coalesce(closed_at, app_now())`,
      invoice_id: payment.invoiceId ?? topup.invoice_id,
      payment_intent_id: payment.paymentIntentId ?? topup.payment_intent_id,
      ...(ctx.stripe.taxes !== 'off' && { total_cents: payment.totalCents }),
    })
    .where('id', '=', topupId)
    .execute()
  // The customer has confirmed the payment, so automatic top-ups resume.
  if (topup.origin === 'auto')
    await tx
      .updateTable('auto_topups')
      .set({ failures: 0, retry_at: null, suspended_reason: null, suspended_card: null })
      .where('account_id', '=', topup.account_id)
      .where((where) =>
        where.or([where('suspended_reason', 'is', null), where('suspended_reason', '=', 'authentication_required')]),
      )
      .execute()
  if (topup.status !== 'paid') await noteCurrency(tx, topup.account_id, currency)
  ctx.step?.('top-up closed')
  await bookPayment(tx, {
    accountId: topup.account_id,
    ref: payment.invoiceId ?? topup.invoice_id ?? `topup:${topupId}`,
    topupId,
    currency,
    cents: payment.paidCents,
    taxCents: payment.taxCents ?? 0,
    plans: [],
    rest: 'pack',
  })
  await grantCredits(tx, {
    accountId: topup.account_id,
    kind: 'topup',
    amount: topup.credits,
    sourceType: 'topup',
    sourceId: String(topupId),
  })
  ctx.step?.('top-up granted')
}
