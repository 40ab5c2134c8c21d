import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { StripeAccess } from './client.ts'

/** Stripe, or throws billing_unavailable where this installation sells nothing. */
export function requireStripe({ stripe }: Pick<Deps, 'stripe'>): StripeAccess {
  if (!stripe)
    throw new AppError(
      'billing_unavailable',
      'This server has no payment provider set up, so nothing can be bought here.',
    )
  return stripe
}
