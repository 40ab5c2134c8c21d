import type { Queryable } from '../../db/database.ts'
import { grantCredits } from '../credits/grant.ts'
import type { Period } from './plan-period.ts'

/**
 * Grants the credits of one period of the free plan; they expire with it, so nothing rolls over. The account and the
 * month name the grant: a repeat grants nothing and answers false.
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
