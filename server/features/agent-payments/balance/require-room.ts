import { sql } from 'kysely'
import type { Config } from '../../../config/config.ts'
import { enterBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { readBalance } from '../../credits/balance.ts'

/** The least and most that one purchase costs, and the most that a balance without an owner holds. */
export const LEAST_USD = 1
export const MOST_USD = 20

/**
 * Throws key_invalid for a balance that was closed, and invalid_parameter where one that no person has claimed would hold too much, with what is being paid for now. Exact under
 * the lock of claims.
 */
export async function requireRoom(
  tx: Queryable,
  { AGENT_CREDIT_MICRO_USD: price }: Pick<Config, 'AGENT_CREDIT_MICRO_USD'>,
  accountId: number,
  credits: number,
): Promise<void> {
  const { rows } = await sql<{ claimed: boolean; open: number }>`
    select claimed_at is not null as claimed, (select coalesce(sum(p.credits), 0)::bigint from agent_payments p
      where p.account_id = b.account_id and product = 'balance' and (state in ('settling', 'unknown')
        or state = 'claimed' and claimed_until > app_now())) as open
    from agent_balances b where account_id = ${accountId} and closed_at is null`.execute(tx)
  if (!rows[0]) throw new AppError('key_invalid')
  const { claimed, open } = rows[0]
  if (claimed) return
  await enterBucket(tx, accountId)
  const { remaining } = await readBalance(tx, accountId)
  if (BigInt(remaining + open + credits) * BigInt(price!) > BigInt(MOST_USD) * 1_000_000n)
    throw new AppError(
      'invalid_parameter',
      `usd: a balance that no person has claimed holds at most $${MOST_USD}, and this one has ${remaining + open} credits. Nothing was charged.`,
      { param: 'usd' },
    )
}
