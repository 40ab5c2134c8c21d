import Stripe from 'stripe'
import type { Database } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { applyReversal } from '../invoices/apply-reversal.ts'
import { transactInLease } from '../lease/in-lease.ts'
import { leaseOfCharge } from '../lease/take-lease.ts'
import { type RefundFacts, refundPayment } from '../stripe/refunds.ts'
import { requireStripe } from '../stripe/require-stripe.ts'
import { settleRefund } from './settle-refund.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>
export type RefundState = RefundFacts['state']

/**
 * Asks the payment provider for a refund that was started, and takes its credits back. Sent again, it is still one refund. Returns
 * its state; the events that follow change it. Throws billing_unavailable, after which it can be sent again, and conflict when the
 * provider refuses it for good.
 */
export async function sendRefund(deps: Needs, actId: string): Promise<{ state: RefundState; chargeId: string | null }> {
  const stripe = requireStripe(deps)
  const refund = await deps.db.kysely
    .selectFrom('refunds as r')
    .innerJoin('invoices as i', 'i.id', 'r.invoice_id')
    .select(['r.cents', 'r.state', 'i.payment_intent_id as intent'])
    .where('act_id', '=', actId)
    .executeTakeFirstOrThrow()
  if (refund.state !== 'unsent') return { state: refund.state as RefundState, chargeId: null }
  const sent = await refundPayment(stripe, { paymentIntentId: refund.intent!, cents: refund.cents, actId }).catch(
    (error: unknown) => noteFailure(deps, actId, error),
  )
  const { log, mail, secrets, config } = deps
  await transactInLease(deps.db, leaseOfCharge(sent.chargeId), async (tx) => {
    await settleRefund(tx, sent)
    await applyReversal({ tx, stripe, log, mail, secrets, config }, sent.chargeId)
  })
  return { state: sent.state, chargeId: sent.chargeId }
}

/** Another request with the same key is under way: what comes of it is not known yet. */
const BUSY = 409

/** What the provider refuses for good has failed; what it did not answer may have been done, and is sent again under the same key. */
async function noteFailure({ db, log }: Needs, actId: string, error: unknown): Promise<never> {
  if (!(error instanceof Stripe.errors.StripeError)) throw error
  const { type, code, requestId, message } = error
  log.error({ refund: actId, stripe: type, code, request: requestId }, 'a refund was not sent')
  const { statusCode = 500 } = error
  if (error instanceof Stripe.errors.StripeInvalidRequestError && statusCode < 500 && statusCode !== BUSY) {
    await note(db, actId, { state: 'failed', error: message })
    throw new AppError('conflict', `The payment provider refused the refund: ${message}`)
  }
  await note(db, actId, { error: message })
  throw new AppError(
    'billing_unavailable',
    'The payment provider did not answer, so nothing has changed yet. Send it again: it stays one refund.',
  )
}

const note = (db: Database, actId: string, change: { state?: 'failed'; error: string }): Promise<unknown> =>
  db.kysely.updateTable('refunds').set(change).where('act_id', '=', actId).where('state', '=', 'unsent').execute()
