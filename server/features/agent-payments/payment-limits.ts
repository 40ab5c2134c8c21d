import { sql } from 'kysely'
import type { Config } from '../../config/config.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import type { Purchase } from './claim.ts'

const MOST_OPEN = 4

export type PaymentLimits = Pick<Config, 'AGENT_PAYER_DAILY_USD' | 'AGENT_DAILY_USD' | 'AGENT_CREDIT_MICRO_USD'>

/**
 * Throws rate_limited where a payer has too many payments open, or where they, or all together, would pay more in 24 hours than the
 * operator wants. Exact under the lock of claims.
 */
export async function requireWithinLimits(
  tx: Queryable,
  { AGENT_PAYER_DAILY_USD: mostOfPayer, AGENT_DAILY_USD: mostOfAll }: PaymentLimits,
  { supplier, credential, quote }: Purchase,
): Promise<void> {
  const { rows } = await sql<{ open: number; own: number; total: number }>`
    select count(*) filter (where payer = ${credential.payer} and state in ('claimed', 'settling', 'unknown') and claimed_until > app_now())::int as open,
      coalesce(sum(micro_usd) filter (where payer = ${credential.payer}), 0)::bigint as own, coalesce(sum(micro_usd), 0)::bigint as total
    from agent_payments where supplier = ${supplier} and claimed_at > app_now() - interval '24 hours'
      and state not in ('released', 'failed')`.execute(tx)
  const { open, own, total } = rows[0]!
  const price = Number(quote.microUsd)
  if (open >= MOST_OPEN)
    throw limited(`At most ${MOST_OPEN} payments of one payer may be under way at once. Wait until one ends.`, 2)
  if (own + price > mostOfPayer * 1e6)
    throw limited(`One payer may pay at most $${mostOfPayer} in 24 hours here.`, 3_600)
  if (total + price > mostOfAll * 1e6)
    throw limited('This server takes no more payments of agents today. Nothing was charged.', 3_600)
}

const limited = (text: string, retryAfterSeconds: number) => new AppError('rate_limited', text, { retryAfterSeconds })
