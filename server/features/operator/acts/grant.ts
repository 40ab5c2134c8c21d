import { randomUUID } from 'node:crypto'
import { enterBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import { audit } from '../../account/audit.ts'
import { operator } from '../../account/operator.ts'
import { readBalance } from '../../credits/balance.ts'
import { grantCredits } from '../../credits/grant.ts'
import type { FoundAccount } from '../find-account.ts'

export interface BalanceChange {
  before: { balance: number }
  after: { balance: number; credits: number }
  /** Moved by this act. */
  credits: number
}

/** Grants credits that never expire. `sourceId`: each is granted once, ever. */
export async function grant(
  tx: Queryable,
  { id }: Pick<FoundAccount, 'id'>,
  credits: number,
  sourceId: string = randomUUID(),
): Promise<BalanceChange> {
  const before = await balanceOf(tx, id)
  await grantCredits(tx, { accountId: id, kind: 'promo', amount: credits, sourceType: 'operator', sourceId })
  await audit(tx, { accountId: id, actor: operator, action: 'credits.granted', target: sourceId, detail: { credits } })
  return { before: { balance: before }, after: { balance: await balanceOf(tx, id), credits }, credits }
}

/** What the account can spend, inside a transaction. */
export async function balanceOf(tx: Queryable, accountId: number): Promise<number> {
  await enterBucket(tx, accountId)
  return (await readBalance(tx, accountId)).remaining
}
