import type { EventContext } from '../events/event-context.ts'
import type { SubscriptionFacts } from '../stripe/fetch-subscription.ts'
import { endTrial } from '../stripe/subscriptions.ts'

/**
 * One trial per card: when the card had a trial on another account, this trial ends now and the plan is charged. Real
 * cards only, since everyone shares the test cards.
 */
export async function guardTrial(
  { tx, stripe, log }: EventContext,
  accountId: number,
  { id, status, cardFingerprint }: SubscriptionFacts,
): Promise<void> {
  if (status !== 'trialing' || cardFingerprint === null || stripe.mode !== 'live') return
  await tx
    .insertInto('trial_cards')
    .values({ fingerprint: cardFingerprint, account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const first = await tx
    .selectFrom('trial_cards')
    .select('account_id')
    .where('fingerprint', '=', cardFingerprint)
    .executeTakeFirst()
  if (first?.account_id === accountId) return
  log.warn(
    { account: accountId, subscription: id },
    'this card already had a trial on another account: ending this trial now',
  )
  await endTrial(stripe, id)
}
