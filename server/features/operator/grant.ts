import { randomUUID } from 'node:crypto'
import { homeOf } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'
import { audit } from '../account/audit.ts'
import { operator } from '../account/operator.ts'
import { readBalance } from '../credits/balance.ts'
import { grantCredits } from '../credits/grant.ts'
import { findAccount } from './find-account.ts'

/** Grants credits that never expire, with a reason for the audit log. Returns the new balance. */
export async function grantByOperator(db: Database, named: string, credits: number, reason: string): Promise<number> {
  const account = await findAccount(db.kysely, named)
  await db.kysely.transaction().execute(async (tx) => {
    const sourceId = randomUUID()
    await grantCredits(tx, { accountId: account.id, kind: 'promo', amount: credits, sourceType: 'operator', sourceId })
    await audit(tx, {
      accountId: account.id,
      actor: operator,
      action: 'credits.granted',
      target: sourceId,
      detail: { credits, reason },
    })
  })
  return (await readBalance((await homeOf(db, account.id)).kysely, account.id)).remaining
}
