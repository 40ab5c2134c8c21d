import type { TermKind } from '#contract/operator/search-term.ts'
import type { Deps } from '../../../deps.ts'
import { askingStripe, isMissing } from '../../billing/stripe/failure.ts'
import { fetchCharge, fetchRefundedCharge } from '../../billing/stripe/fetch-charge.ts'

/**
 * The payment provider's customer of a charge or refund that our copies do not have: they hold only what was refunded. Null for
 * anything else, and for what the provider does not know. Throws billing_unavailable.
 */
export async function askProvider(
  { stripe, log }: Pick<Deps, 'stripe' | 'log'>,
  kind: TermKind,
  id: string,
): Promise<string | null> {
  if (!stripe || (kind !== 'charge' && kind !== 'refund')) return null
  const customerOf = async () => {
    const charge = kind === 'charge' ? id : await fetchRefundedCharge(stripe, id)
    return charge && (await fetchCharge(stripe, charge)).customerId
  }
  return askingStripe(log, () =>
    customerOf().catch((error: unknown) => {
      if (isMissing(error)) return null
      throw error
    }),
  )
}
