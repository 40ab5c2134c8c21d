import { sql } from 'kysely'
import { enterBucket } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'
import { askForAlerts } from './alerts.ts'

export interface Entitlements {
  /** Calls are recorded, nothing is charged. */
  unlimited: boolean
  /** Units allowed beyond the credits in this period, and those already used; null: pay-as-you-go is off. */
  payAsYouGo: { left: number; used: number } | null
}

/** Blocks the account's charges until the transaction ends, so that a count made now stays valid. */
export async function holdCharges(tx: Queryable, accountId: number): Promise<void> {
  await enterBucket(tx, accountId)
  await tx
    .selectFrom('credit_accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .forNoKeyUpdate()
    .execute()
}

/**
 * Sets what an account's plans allow in addition to credits. All instances are notified when the transaction commits.
 */
export async function setEntitlements(
  tx: Queryable,
  accountId: number,
  { unlimited, payAsYouGo }: Entitlements,
): Promise<void> {
  await enterBucket(tx, accountId)
  await tx
    .updateTable('credit_accounts')
    .set({
      unlimited,
      payg_enabled: payAsYouGo !== null,
      // What running calls hold counts as spent until they end.
      payg_left: payAsYouGo ? sql`greatest(${payAsYouGo.left} - ${held(accountId)}, 0)` : 0,
      payg_used: payAsYouGo ? sql`${payAsYouGo.used} + ${held(accountId)}` : 0,
    })
    .where('account_id', '=', accountId)
    .execute()
  await askForAlerts(tx, accountId)
  await sql`select pg_notify('credits_changed', ${String(accountId)})`.execute(tx)
}

const held = (accountId: number) =>
  sql<number>`(select coalesce(sum(from_payg), 0)::bigint from credit_holds where account_id = ${accountId})`
