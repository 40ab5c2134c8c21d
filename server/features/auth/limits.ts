import type { AppError } from '../../http/errors.ts'
import { isRateLimited } from '../../http/errors.ts'
import type { AuthDeps } from './deps.ts'
import { AuthError } from './errors.ts'

/** A rate limit error in the protocol's form. */
export const overRequestLimit = ({ detail: { retryAfterSeconds } }: AppError): AuthError =>
  new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', { retryAfterSeconds })

/** Counts a mail against the budget of the installation. Throws 429 over_email_send_rate_limit. */
export async function countMail({ limits }: Pick<AuthDeps, 'limits'>): Promise<void> {
  try {
    await limits.count('auth.mail', {})
  } catch (error) {
    if (!isRateLimited(error)) throw error
    const { retryAfterSeconds } = error.detail
    throw new AuthError(429, 'over_email_send_rate_limit', 'email rate limit exceeded', { retryAfterSeconds })
  }
}
