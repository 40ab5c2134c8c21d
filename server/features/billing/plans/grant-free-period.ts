import type { Queryable } from '../../../db/database.ts'
import { grantCredits } from '../../credits/grant.ts'
import type { Period } from './plan-period.ts'

/**
 * Grants one period of the free plan. The credits expire with it, so nothing rolls over. Once per account and month: a
 * repeat returns false.
 */
export async function grantFreePeriod(
  tx: Queryable,
  accountId: number,
  credits: number,
  { start, end }: Period,
): Promise<boolean> {
  const { granted } = await grantCredits(tx, {
    accountId,
    kind: 'free',
    amount: credits,
    sourceType: 'free_period',
    sourceId: `${accountId}:${start.toISOString().slice(0, 7)}`,
    effectiveAt: start,
    expiresAt: end,
  })
  return granted
}
