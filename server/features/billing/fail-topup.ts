import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Applying } from './applying.ts'
import { notifyManagers } from './notify-managers.ts'
import type { SavedCard } from './stripe/cards.ts'

/** Refusals in a row after which automatic top-ups stop until another card is there. */
const MOST_FAILURES = 3
/** There is nothing to try again without the customer. */
const NEEDS_CUSTOMER = ['no_card', 'authentication_required']

/**
 * Closes an automatic top-up that was refused: the next attempt waits an hour, and after three refusals in a row, or
 * without a card, automatic top-ups are suspended and the managers are told. A top-up that was paid meanwhile stays paid.
 */
export async function failTopup(
  applying: Applying,
  topup: { id: number; account_id: number },
  { code, card }: { code: string; card: SavedCard | null },
): Promise<void> {
  const { tx } = applying
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
  await notifyManagers(tx, applying, {
    accountId: topup.account_id,
    kind: 'auto_topup.suspended',
    ref: String(topup.id),
    subject: 'Automatic top-ups have stopped',
    content: {
      heading: 'Automatic top-ups have stopped',
      paragraphs: [
        reasons[code] ?? 'Your card was refused several times in a row.',
        'Nothing was charged. Save another card, or top up by hand.',
      ],
      action: { label: 'Open billing', url: `${applying.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
}

const reasons: Record<string, string> = {
  no_card: 'There is no saved card to charge.',
  authentication_required: 'Your bank wanted a payment confirmed, and it was not confirmed in time.',
}

/** Stops automatic top-ups until the customer changes the card or the rule. */
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
