import type { Logger } from 'pino'
import Stripe from 'stripe'
import { AppError } from '../../../http/errors.ts'
import { LATER } from '../lease/ask-between.ts'

/**
 * Runs calls to Stripe on behalf of a waiting customer: a failure becomes billing_unavailable, with a log line. Stripe refuses a
 * second currency while an invoice item waits in the first, which is a conflict.
 */
export async function askingStripe<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError) || error.code === LATER) throw error
    log.error({ stripe: error.type, code: error.code, param: error.param, request: error.requestId }, 'Stripe refused')
    if (error.message.includes('cannot combine currencies'))
      throw new AppError(
        'conflict',
        'An earlier invoice in another currency is not finished yet. Nothing was charged. Try again in a few hours, or pay in that currency.',
      )
    throw new AppError(
      'billing_unavailable',
      taxRefusalCode(error) === null
        ? 'The payment provider did not answer as expected. Nothing was charged. Try again shortly.'
        : 'The tax could not be computed. Nothing was charged. Check your billing address under Billing, then try again.',
      { retryAfterSeconds: 5 },
    )
  }
}

/** Whether Stripe says that the object does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'

/** The decline code of a card error; null for any other error. */
export const refusalCode = (error: unknown): string | null =>
  error instanceof Stripe.errors.StripeCardError ? (error.code ?? 'card_declined') : null

/** Whether Stripe already has this identifier, so the call is a repeat. */
export const isRepeated = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_already_exists'

const taxRefusals: Record<string, 'no_location' | 'tax_unavailable'> = {
  customer_tax_location_invalid: 'no_location',
  invalid_tax_location: 'no_location',
  failed_tax_calculation: 'tax_unavailable',
  taxes_calculation_failed: 'tax_unavailable',
  stripe_tax_inactive: 'tax_unavailable',
}

/** Why Stripe cannot compute a tax: it does not know where the customer is, or cannot at all; null for any other error. */
export const taxRefusalCode = (error: unknown): 'no_location' | 'tax_unavailable' | null =>
  error instanceof Stripe.errors.StripeInvalidRequestError ? (taxRefusals[error.code ?? ''] ?? null) : null
