import type Stripe from 'stripe'
import { cardError, invalid } from '../api/errors.ts'
import { assign, type Handler, pick } from './assign.ts'
import type { Body, Charge, Fields, PaymentIntent, PaymentMethod } from './bodies.ts'
import { publicBody } from './bodies.ts'
import { assertOwned, attach, declineOf, paymentMethod } from './cards.ts'
import { openDispute } from './refunds.ts'
import { type Session, secret } from './session.ts'

const day = 86_400

/** Opens a payment; nothing is charged yet. */
export async function createIntent(tx: Session, fields: Fields): Promise<PaymentIntent> {
  return tx.create<PaymentIntent>('payment_intent', 'pi', {
    amount_capturable: 0,
    amount_received: 0,
    capture_method: 'automatic_async',
    confirmation_method: 'automatic',
    client_secret: `pi_sbx_secret_${secret()}`,
    payment_method_types: ['card'],
    status: fields.payment_method ? 'requires_confirmation' : 'requires_payment_method',
    ...fields,
  })
}

/**
 * Charges. On session an authentication can be asked for (`authenticated` says that it was passed); off session it is
 * a decline. The intent ends as succeeded, processing, requires_action or requires_payment_method (with the reason).
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
  const wantsProof = method._outcome === 'authentication_required'
  if (wantsProof && !authenticated && !offSession) {
    intent.status = 'requires_action'
    intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: {} }
    await tx.save(intent, 'payment_intent.requires_action')
    return intent
  }
  const decline = wantsProof && authenticated ? null : declineOf(method._outcome)
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

/** The end of a bank debit, four days after it began. */
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

/** The 402 of an intent that could not be paid; what was tried stays on record. */
export function refusal(intent: PaymentIntent): Error {
  const { payment_method, ...error } = intent.last_payment_error ?? {}
  return cardError(error, { payment_method, payment_intent: publicBody(intent) }, true)
}

async function confirm(
  tx: Session,
  intent: PaymentIntent,
  params: { payment_method?: string; off_session?: unknown },
): Promise<PaymentIntent> {
  if (intent.status === 'succeeded' || intent.status === 'canceled' || intent.status === 'processing') {
    const text = `This PaymentIntent's payment_method could not be updated because it has a status of ${intent.status}.`
    throw invalid(text, { code: 'payment_intent_unexpected_state' })
  }
  const id = params.payment_method ?? intent.payment_method
  if (!id)
    throw invalid("You cannot confirm this PaymentIntent because it's missing a payment method.", {
      code: 'payment_intent_unexpected_state',
    })
  const result = await charge(tx, intent, await paymentMethod(tx, id), { offSession: Boolean(params.off_session) })
  if (result.last_payment_error) throw refusal(result)
  return result
}

async function createPayment(tx: Session, params: Stripe.PaymentIntentCreateParams): Promise<Body> {
  if (params.amount < 50)
    throw invalid('Amount must be at least $0.50 usd', { code: 'amount_too_small', param: 'amount' })
  const customer = params.customer ? await tx.customer(params.customer) : null
  const method = params.payment_method ? await paymentMethod(tx, params.payment_method) : null
  const intent = await createIntent(tx, {
    ...pick(
      params,
      'amount',
      'currency',
      'description',
      'metadata',
      'receipt_email',
      'setup_future_usage',
      'statement_descriptor',
    ),
    customer: customer?.id ?? null,
    payment_method: method?.id ?? null,
    automatic_payment_methods: { enabled: true, allow_redirects: 'always' },
    _clock: customer?.test_clock ?? null,
  })
  return params.confirm ? confirm(tx, intent, { off_session: params.off_session }) : intent
}

async function updatePayment(tx: Session, params: Stripe.PaymentIntentUpdateParams, id: string): Promise<Body> {
  const intent = await tx.get<PaymentIntent>('payment_intent', id)
  assign(intent, params, 'amount', 'description', 'metadata', 'receipt_email', 'setup_future_usage')
  if (params.payment_method) intent.payment_method = (await paymentMethod(tx, params.payment_method)).id
  if (intent.payment_method && intent.status === 'requires_payment_method') intent.status = 'requires_confirmation'
  await tx.save(intent)
  return intent
}

async function confirmPayment(tx: Session, params: Stripe.PaymentIntentConfirmParams, id: string): Promise<Body> {
  return confirm(tx, await tx.get<PaymentIntent>('payment_intent', id), params)
}

/** Also closes the payment of a voided invoice. */
export async function cancelIntent(tx: Session, intent: PaymentIntent, reason: string | null): Promise<Body> {
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw invalid(`You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`, {
      code: 'payment_intent_unexpected_state',
    })
  }
  Object.assign(intent, {
    status: 'canceled',
    canceled_at: tx.now,
    cancellation_reason: reason,
    next_action: null,
    _due: null,
  })
  await tx.save(intent, 'payment_intent.canceled')
  return intent
}

async function cancelPayment(tx: Session, params: Stripe.PaymentIntentCancelParams, id: string): Promise<Body> {
  return cancelIntent(tx, await tx.get<PaymentIntent>('payment_intent', id), params.cancellation_reason ?? null)
}

export const paymentHandlers: Record<string, Handler> = {
  'POST /v1/payment_intents': createPayment,
  'POST /v1/payment_intents/{id}': updatePayment,
  'POST /v1/payment_intents/{id}/confirm': confirmPayment,
  'POST /v1/payment_intents/{id}/cancel': cancelPayment,
}
