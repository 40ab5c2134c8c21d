import { type Applying, accountOfCustomer } from './applying.ts'
import { fetchSavedCard } from './stripe/cards.ts'

/** A customer with another card gets automatic top-ups again: what was refused before may work now. */
export async function liftSuspension({ tx, stripe }: Applying, customerId: string): Promise<void> {
  const accountId = await accountOfCustomer(tx, customerId)
  if (accountId === null) return
  const suspended = await tx
    .selectFrom('auto_topups')
    .select(['suspended_reason as reason', 'suspended_card as card'])
    .where('account_id', '=', accountId)
    .where('suspended_reason', 'is not', null)
    .executeTakeFirst()
  if (!suspended || suspended.reason === 'dispute') return
  const saved = await fetchSavedCard(stripe, customerId)
  if (!saved || saved.fingerprint === suspended.card) return
  await tx
    .updateTable('auto_topups')
    .set({ failures: 0, retry_at: null, suspended_reason: null, suspended_card: null })
    .where('account_id', '=', accountId)
    .execute()
}
