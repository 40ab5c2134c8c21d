import type Stripe from 'stripe'
import { cardError, invalid } from '../api/errors.ts'
import { type Handler, pick } from './assign.ts'
import type { Body, PaymentMethod } from './bodies.ts'
import { publicBody } from './bodies.ts'
import { attach, declineOf, paymentMethod } from './cards.ts'
import { type Session, secret } from './session.ts'

interface SetupIntent extends Body {
  status: string
  customer: string | null
  payment_method: string | null
}

/** Saves a method for later, without a charge. */
async function confirm(tx: Session, intent: SetupIntent, method: PaymentMethod | null): Promise<SetupIntent> {
  if (!method)
    throw invalid("You cannot confirm this SetupIntent because it's missing a payment method.", {
      code: 'setup_intent_unexpected_state',
    })
  const decline = method._refusesSaving ? declineOf(method._outcome) : null
  if (decline) {
    intent.status = 'requires_payment_method'
    intent.last_setup_error = { ...decline, type: 'card_error', payment_method: publicBody(method) }
    await tx.save(intent, 'setup_intent.setup_failed')
    throw cardError(decline, { setup_intent: publicBody(intent) }, true)
  }
  if (intent.customer) await attach(tx, method, intent.customer)
  intent.payment_method = method.id
  intent.status = 'succeeded'
  await tx.save(intent, 'setup_intent.succeeded')
  return intent
}

/** Opens, and with `confirm` completes, the saving of a method. */
export async function createSetup(tx: Session, params: Stripe.SetupIntentCreateParams): Promise<SetupIntent> {
  if (params.customer) await tx.customer(params.customer)
  const method = params.payment_method ? await paymentMethod(tx, params.payment_method) : null
  const intent = await tx.create<SetupIntent>('setup_intent', 'seti', {
    usage: 'off_session',
    status: method ? 'requires_confirmation' : 'requires_payment_method',
    client_secret: `seti_sbx_secret_${secret()}`,
    payment_method_types: ['card'],
    ...pick(params, 'customer', 'description', 'metadata', 'usage'),
    payment_method: method?.id ?? null,
  })
  return params.confirm ? confirm(tx, intent, method) : intent
}

async function confirmSetup(tx: Session, params: Stripe.SetupIntentConfirmParams, id: string): Promise<Body> {
  const intent = await tx.get<SetupIntent>('setup_intent', id)
  const method = params.payment_method ?? intent.payment_method
  return confirm(tx, intent, method ? await paymentMethod(tx, method) : null)
}

async function cancelSetup(tx: Session, _params: unknown, id: string): Promise<Body> {
  const intent = await tx.get<SetupIntent>('setup_intent', id)
  if (intent.status === 'succeeded')
    throw invalid('You cannot cancel this SetupIntent because it has a status of succeeded.', {
      code: 'setup_intent_unexpected_state',
    })
  intent.status = 'canceled'
  await tx.save(intent)
  return intent
}

export const setupHandlers: Record<string, Handler> = {
  'POST /v1/setup_intents': createSetup,
  'POST /v1/setup_intents/{id}/confirm': confirmSetup,
  'POST /v1/setup_intents/{id}/cancel': cancelSetup,
}
