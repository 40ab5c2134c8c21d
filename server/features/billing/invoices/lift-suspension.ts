import { accountOfCustomer, type EventContext } from '../events/event-context.ts'
import { fetchSavedCard } from '../stripe/cards.ts'

/** Another card does not end these. */
const NOT_OF_THE_CARD = ['dispute', 'currency_changed', 'no_price', 'no_location']

/** Resumes automatic top-ups after the customer changed the card. */
export async function liftSuspension({ tx, stripe }: EventContext, customerId: string): Promise<void> {
  const accountId = await accountOfCustomer(tx, customerId)
  if (accountId === null) return
  const suspended = await tx
    .selectFrom('auto_topups')
    .select(['suspended_reason as reason', 'suspended_card as card'])
    .where('account_id', '=', accountId)
    .where('suspended_reason', 'is not', null)
    .executeTakeFirst()
  if (!suspended || NOT_OF_THE_CARD.includes(suspended.reason ?? '')) return
  const saved = await fetchSavedCard(stripe, customerId)
  if (!saved || saved.fingerprint === suspended.card) return
  await tx
    .updateTable('auto_topups')
    .set({ failures: 0, retry_at: null, suspended_reason: null, suspended_card: null })
    .where('account_id', '=', accountId)
    .execute()
}
