import { cardError } from '../api/errors.ts'
import { assertPayable } from '../billing/currency.ts'
import { type Charge, type Fields, type PaymentIntent, type PaymentMethod, publicBody } from './bodies.ts'
import { assertOwned, attach, declineOf } from './cards.ts'
import { openDispute } from './refunds.ts'
import { type Session, secret } from './session.ts'

const day = 86_400

/** Creates a payment intent; nothing is charged yet. */
export async function createIntent(tx: Session, fields: Fields): Promise<PaymentIntent> {
  assertPayable(Number(fields.amount), String(fields.currency), 'amount')
  return tx.create<PaymentIntent>('payment_intent', 'pi', {
    amount_capturable: 0,
    amount_received: 0,
    capture_method: 'automatic_async',
    confirmation_method: 'automatic',
    client_secret: `pi_sbx_secret_${secret()}`,
    payment_method_types: ['card'],
    status: 'requires_payment_method',
    ...fields,
  })
}

/**
 * Charges a method. If the customer is present, the bank can ask for authentication (`authenticated`: it succeeded);
 * otherwise that is a decline. The intent ends up succeeded, processing, requires_action, or requires_payment_method
 * with the reason.
 */
export async function charge(
  tx: Session,
  intent: PaymentIntent,
  method: PaymentMethod,
  { offSession = false, authenticated = false } = {},
): Promise<PaymentIntent> {
  assertOwned(method, intent.customer)
  intent.payment_method = method.id
  intent.next_action = null
  intent.last_payment_error = null
  const needsAuthentication = method._outcome === 'authentication_required'
  if (needsAuthentication && !authenticated && !offSession) {
    intent.status = 'requires_action'
    intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: {} }
    await tx.save(intent, 'payment_intent.requires_action')
    return intent
  }
  const decline = needsAuthentication && authenticated ? null : declineOf(method._outcome)
  const later = method._outcome === 'settles_later' || method._outcome === 'fails_later'
  const state = decline ? 'failed' : later ? 'pending' : 'succeeded'
  const made = await createCharge(tx, intent, method, state, decline)
  intent.latest_charge = made.id
  if (decline) await refuse(tx, intent, { ...decline, charge: made.id }, method)
  else if (later) {
    intent.status = 'processing'
    intent._due = tx.now + 4 * day
    await tx.save(intent)
  } else await succeed(tx, intent)
  if (!decline && !later && intent.customer && intent.setup_future_usage && !method.customer)
    await attach(tx, method, intent.customer)
  if (method._outcome === 'dispute') await openDispute(tx, made)
  return intent
}

function createCharge(
  tx: Session,
  intent: PaymentIntent,
  method: PaymentMethod,
  status: string,
  decline: Fields | null,
): Promise<Charge> {
  const { card } = method
  return tx.create<Charge>('charge', 'ch', {
    amount: intent.amount,
    amount_captured: status === 'succeeded' ? intent.amount : 0,
    amount_refunded: 0,
    captured: status === 'succeeded',
    paid: status === 'succeeded',
    currency: intent.currency,
    customer: intent.customer,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: card
      ? {
          type: 'card',
          card: {
            brand: card.brand,
            last4: card.last4,
            fingerprint: card.fingerprint,
            exp_month: card.exp_month,
            exp_year: card.exp_year,
            country: 'US',
            funding: 'credit',
            amount_authorized: intent.amount,
            authorization_code: null,
          },
        }
      : { type: method.type },
    metadata: intent.metadata,
    status,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    _clock: intent._clock,
  })
}

async function succeed(tx: Session, intent: PaymentIntent): Promise<void> {
  intent.status = 'succeeded'
  intent.amount_received = intent.amount
  await tx.save(intent, 'payment_intent.succeeded')
}

async function refuse(tx: Session, intent: PaymentIntent, error: Fields, method: PaymentMethod): Promise<void> {
  intent.status = 'requires_payment_method'
  intent.last_payment_error = { ...error, type: 'card_error', payment_method: publicBody(method) }
  intent.payment_method = null
  await tx.save(intent, 'payment_intent.payment_failed')
}

/** Settles a bank debit, four days after it started. */
export async function settleIntent(tx: Session, intent: PaymentIntent): Promise<void> {
  intent._due = null
  const made = await tx.get<Charge>('charge', intent.latest_charge ?? '')
  const method = await tx.get<PaymentMethod>('payment_method', intent.payment_method ?? '')
  const paid = method._outcome === 'settles_later'
  Object.assign(made, {
    status: paid ? 'succeeded' : 'failed',
    paid,
    captured: paid,
    amount_captured: paid ? made.amount : 0,
  })
  await tx.save(made)
  if (paid) await succeed(tx, intent)
  else
    await refuse(
      tx,
      intent,
      { code: 'payment_intent_payment_attempt_failed', message: 'The bank account has insufficient funds.' },
      method,
    )
}

/** The 402 for an intent that could not be paid; the attempt stays on record. */
export function refusal(intent: PaymentIntent): Error {
  const { payment_method, ...error } = intent.last_payment_error ?? {}
  return cardError(error, { payment_method, payment_intent: publicBody(intent) }, true)
}

/** Closes the payment of a voided invoice. */
export async function cancelIntent(tx: Session, intent: PaymentIntent): Promise<void> {
  if (intent.status === 'succeeded' || intent.status === 'canceled') return
  Object.assign(intent, {
    status: 'canceled',
    canceled_at: tx.now,
    cancellation_reason: 'void_invoice',
    next_action: null,
    _due: null,
  })
  await tx.save(intent, 'payment_intent.canceled')
}
