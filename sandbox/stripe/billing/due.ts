import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import type { Handler } from '../objects/assign.ts'
import type { Body, CheckoutSession, Invoice, PaymentIntent, Subscription, TaxId } from '../objects/bodies.ts'
import { settleIntent } from '../objects/payments.ts'
import type { Session } from '../objects/session.ts'
import { verifyTaxId } from '../tax/tax-ids.ts'
import { expireSession } from './checkout.ts'
import { advanceInvoice, advanceSubscription } from './cycle.ts'
import { onPaymentSettled } from './pay-invoice.ts'

const actions: Record<string, (tx: Session, body: never) => Promise<unknown>> = {
  subscription: (tx, body: Subscription) => advanceSubscription(tx, body),
  invoice: (tx, body: Invoice) => advanceInvoice(tx, body),
  payment_intent: async (tx, body: PaymentIntent) => {
    await settleIntent(tx, body)
    await onPaymentSettled(tx, body)
  },
  'checkout.session': (tx, body: CheckoutSession) => expireSession(tx, body),
  tax_id: (tx, body: TaxId) => verifyTaxId(tx, body),
}

/** Does the earliest thing due on a clock (null: the sandbox's own) by `until`, at its due time. False if nothing is due. */
export async function advanceOne(tx: Session, clock: string | null, until: number): Promise<boolean> {
  const sql = `select id, type, due_at, body from stripe_sandbox.objects
    where due_at <= $1 and clock is not distinct from $2 and not deleted order by due_at, seq limit 1`
  const { rows } = await tx.client.query<{ id: string; type: string; due_at: string; body: never }>(sql, [until, clock])
  const [due] = rows
  if (!due) return false
  tx.now = Number(due.due_at)
  tx.pinned = true
  await actions[due.type]?.(tx, due.body)
  const after = await tx.client.query<{ due_at: string | null; body: Body }>(
    'select due_at, body from stripe_sandbox.objects where id = $1',
    [due.id],
  )
  if (after.rows[0]?.due_at === due.due_at && JSON.stringify(after.rows[0].body) === JSON.stringify(due.body)) {
    throw new Error(`The sandbox made no progress on ${due.type} ${due.id}`)
  }
  return true
}

interface TestClock extends Body {
  frozen_time: number
}

async function createClock(tx: Session, params: Stripe.TestHelpers.TestClockCreateParams): Promise<Body> {
  const times = { frozen_time: params.frozen_time, created: tx.now, deletes_after: tx.now + 30 * 86_400 }
  return tx.create('test_helpers.test_clock', 'clock', {
    ...times,
    status: 'ready',
    status_details: {},
    name: params.name ?? null,
  })
}

/** Moves a test clock forward and does everything that falls due before returning. */
async function advanceClock(tx: Session, params: Stripe.TestHelpers.TestClockAdvanceParams, id: string): Promise<Body> {
  const clock = await tx.get<TestClock>('test_helpers.test_clock', id)
  if (params.frozen_time <= clock.frozen_time)
    throw invalid('A test clock can only move forward.', { param: 'frozen_time' })
  while (await advanceOne(tx, id, params.frozen_time));
  clock.frozen_time = params.frozen_time
  await tx.save(clock)
  return clock
}

async function deleteClock(tx: Session, _params: unknown, id: string): Promise<unknown> {
  const clock = await tx.get<TestClock>('test_helpers.test_clock', id)
  await tx.client.query('update stripe_sandbox.objects set deleted = true, due_at = null where clock = $1', [id])
  return tx.remove(clock)
}

export const clockHandlers: Record<string, Handler> = {
  'POST /v1/test_helpers/test_clocks': createClock,
  'POST /v1/test_helpers/test_clocks/{id}/advance': advanceClock,
  'DELETE /v1/test_helpers/test_clocks/{id}': deleteClock,
}
