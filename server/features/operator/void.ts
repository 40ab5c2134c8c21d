import { enterBucket, homeOf } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'
import { audit } from '../account/audit.ts'
import { operator } from '../account/operator.ts'
import { readBalance } from '../credits/balance.ts'
import { voidCredits } from '../credits/void.ts'
import { findAccount } from './find-account.ts'

/** Credits without a payment. Paid ones are taken back by refunding the payment, so that money and credits match. */
const UNPAID = ['free', 'trial', 'promo', 'restore']

/**
 * Takes back up to `credits` that were not paid for, the last to burn first. Spent credits stay spent. Returns how many
 * were taken and the new balance.
 */
export async function voidByOperator(
  db: Database,
  named: string,
  credits: number,
  reason: string,
): Promise<{ taken: number; balance: number }> {
  const account = await findAccount(db.kysely, named)
  const taken = await db.kysely.transaction().execute(async (tx) => {
    await enterBucket(tx, account.id)
    const grants = await tx
      .selectFrom('credit_grants')
      .select('id')
      .where('account_id', '=', account.id)
      .where('state', '<>', 'closed')
      .where('kind', 'in', UNPAID)
      .orderBy('priority', 'desc')
      .orderBy('expires_at', 'desc')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute()
    let left = credits
    for (const { id } of grants) if (left > 0) left -= await voidCredits(tx, id, left)
    await audit(tx, {
      accountId: account.id,
      actor: operator,
      action: 'credits.voided',
      target: account.publicId,
      detail: { credits: credits - left, asked: credits, reason },
    })
    return credits - left
  })
  return { taken, balance: (await readBalance((await homeOf(db, account.id)).kysely, account.id)).remaining }
}
