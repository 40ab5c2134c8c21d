import type { Invoice } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { cancelNow } from './end-subscription.ts'
import { subscriptionOf } from './mark-paid.ts'
import { saveSubscription } from './save-subscription.ts'

/** A failed payment makes an active subscription past due; the last failed retry ends it. */
export async function afterFailure(tx: Session, invoice: Invoice, last: boolean): Promise<void> {
  const subscription = await subscriptionOf(tx, invoice)
  if (!subscription) return
  if (last) await cancelNow(tx, subscription, { reason: 'payment_failed' })
  else if (subscription.status === 'active') {
    subscription.status = 'past_due'
    await saveSubscription(tx, subscription, 'customer.subscription.updated')
  }
}
