import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { EventContext } from '../events/event-context.ts'
import { notifyManagers } from '../notify-managers.ts'
import type { SavedCard } from '../stripe/cards.ts'

/** Refusals in a row after which automatic top-ups stop until another card is saved. */
const MOST_FAILURES = 3
/** Retrying makes no sense without the customer. */
const NEEDS_CUSTOMER = ['no_card', 'no_location', 'authentication_required']

/**
 * Closes a refused automatic top-up: the next attempt waits an hour. After three refusals in a row, or without a card,
 * automatic top-ups are suspended and the managers notified. A top-up that was paid in the meantime stays paid.
 */
export async function failTopup(
  ctx: EventContext,
  topup: { id: number; account_id: number },
  { code, card }: { code: string; card: SavedCard | null },
): Promise<void> {
  const { tx } = ctx
  const closed = await tx
    .updateTable('topups')
    .set({ status: 'failed', failure_code: code, phase: null, action_url: null, closed_at: sql`app_now()` })
    .where('id', '=', topup.id)
    .where('status', '=', 'open')
    .returning('id')
    .executeTakeFirst()
  if (!closed) return
  const rule = await tx
    .updateTable('auto_topups')
    .set((set) => ({ failures: set('failures', '+', 1), retry_at: sql<Date>`app_now() + interval '1 hour'` }))
    .where('account_id', '=', topup.account_id)
    .returning('failures')
    .executeTakeFirst()
  if (!rule || (rule.failures < MOST_FAILURES && !NEEDS_CUSTOMER.includes(code))) return
  await suspendTopups(tx, topup.account_id, code, card)
  await notifyManagers(tx, ctx, {
    accountId: topup.account_id,
    kind: 'auto_topup.suspended',
    ref: String(topup.id),
    subject: 'Automatic top-ups have stopped',
    content: {
      heading: 'Automatic top-ups have stopped',
      paragraphs: [
        reasons[code] ?? 'Your card was declined several times in a row.',
        advice[code] ?? 'Nothing was charged. Save another card, or top up manually.',
      ],
      action: { label: 'Open billing', url: `${ctx.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
}

const reasons: Record<string, string> = {
  no_card: 'There is no saved card to charge.',
  authentication_required: 'Your bank asked you to confirm a payment, and it was not confirmed in time.',
  no_location: 'We do not know your billing address, so the tax could not be computed.',
  tax_unavailable: 'The tax could not be computed several times in a row.',
}

const advice: Record<string, string> = {
  no_location: 'Nothing was charged. Add your billing address under Billing, and automatic top-ups continue.',
  tax_unavailable: 'Nothing was charged. Top up manually, or turn automatic top-ups on again later.',
}

/** Suspends automatic top-ups until the customer changes the card or the rule. */
export async function suspendTopups(
  tx: Queryable,
  accountId: number,
  reason: string,
  card: SavedCard | null,
): Promise<void> {
  await tx
    .updateTable('auto_topups')
    .set({ suspended_reason: reason, suspended_card: card?.fingerprint ?? null })
    .where('account_id', '=', accountId)
    .execute()
}

/**
 * Suspends automatic top-ups whose amounts are in a currency that the account does not pay in any more, or that credits are not sold
 * in: neither the limit nor the consent holds for another. Saving the rule again resumes them.
 */
export async function suspendForCurrency(
  ctx: Pick<EventContext, 'tx' | 'log' | 'mail' | 'config'>,
  accountId: number,
  currency: string,
  paysIn: string,
): Promise<void> {
  const was = currency.toUpperCase()
  await suspendTopups(ctx.tx, accountId, currency === paysIn ? 'no_price' : 'currency_changed', null)
  await notifyManagers(ctx.tx, ctx, {
    accountId,
    kind: 'auto_topup.suspended',
    ref: `${currency} ${paysIn}`,
    subject: 'Automatic top-ups have stopped',
    content: {
      heading: 'Automatic top-ups have stopped',
      paragraphs: [
        currency === paysIn
          ? `Credits are not sold in ${was} at the moment.`
          : `Automatic top-ups were set up in ${was}, and your workspace now pays in ${paysIn.toUpperCase()}.`,
        'Nothing was charged. Save automatic top-ups again under Billing to resume them.',
      ],
      action: { label: 'Open billing', url: `${ctx.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
}
