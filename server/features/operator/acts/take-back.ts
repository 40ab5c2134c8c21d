import { sql } from 'kysely'
import { enterBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { audit } from '../../account/audit.ts'
import { operator } from '../../account/operator.ts'
import { voidCredits } from '../../credits/void.ts'
import type { FoundAccount } from '../find-account.ts'
import { type BalanceChange, balanceOf } from './grant.ts'

/**
 * Credits without a payment. Paid ones are taken back by refunding the payment, so that money and credits match. Restored ones may
 * have been paid for: those of a refund that failed were.
 */
const UNPAID = ['free', 'trial', 'promo']

/**
 * Takes back up to `credits` that were not paid for, the last to burn first. Spent credits stay spent. `exactly`: all of them, or
 * throws conflict.
 */
export async function takeBack(
  tx: Queryable,
  { id, publicId }: Pick<FoundAccount, 'id' | 'publicId'>,
  credits: number,
  { exactly = false } = {},
): Promise<BalanceChange> {
  const before = await balanceOf(tx, id)
  const grants = await unpaidGrants(tx, id)
  const available = grants.reduce((sum, { remaining }) => sum + remaining, 0)
  if (exactly && available < credits)
    throw new AppError(
      'conflict',
      `${available} credits can be taken back now. The others are burned or were paid for. To take back paid credits, refund the payment.`,
    )
  let left = credits
  for (const grant of grants) if (left > 0) left -= await voidCredits(tx, grant.id, left)
  const taken = credits - left
  await audit(tx, {
    accountId: id,
    actor: operator,
    action: 'credits.voided',
    target: publicId,
    detail: { credits: taken, asked: credits },
  })
  return { before: { balance: before }, after: { balance: await balanceOf(tx, id), credits: -taken }, credits: taken }
}

/** Credits that can be taken back now. */
export async function unpaidCredits(tx: Queryable, accountId: number): Promise<number> {
  await enterBucket(tx, accountId)
  return (await unpaidGrants(tx, accountId)).reduce((sum, { remaining }) => sum + remaining, 0)
}

/** After what was charged has been taken from the grants, which locks the account's credits. The last to burn first. */
async function unpaidGrants(tx: Queryable, accountId: number): Promise<{ id: number; remaining: number }[]> {
  await sql`select credit_settle(${accountId}, app_now())`.execute(tx)
  return tx
    .selectFrom('credit_grants')
    .select(['id', 'remaining'])
    .where('account_id', '=', accountId)
    .where('state', '<>', 'closed')
    .where('kind', 'in', UNPAID)
    .orderBy('priority', 'desc')
    .orderBy('expires_at', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}
