import { enterBucket } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'
import { holdCharges } from '../credits/set-entitlements.ts'

export interface MeterKey {
  keyId: number
  accountId: number
}

/** Registers a key with the meter, in the transaction that creates it. Repeating it changes nothing. */
export async function openMeterKey(tx: Queryable, key: MeterKey): Promise<void> {
  await enterBucket(tx, key.accountId)
  await tx
    .insertInto('meter_keys')
    .values({ key_id: key.keyId, account_id: key.accountId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * From this transaction's commit on, no call of the key is charged or answered, except that what it holds is settled. It cannot be
 * reopened.
 */
export async function closeMeterKey(tx: Queryable, { keyId, accountId }: MeterKey): Promise<void> {
  await enterBucket(tx, accountId)
  await tx.updateTable('meter_keys').set({ live: false }).where('key_id', '=', keyId).execute()
}

/**
 * Gives a key so many credits more, in this month and in later ones, if it has a budget. Blocks the account's charges until the
 * transaction ends.
 */
export async function raiseKeyBudget(tx: Queryable, { keyId, accountId }: MeterKey, credits: number): Promise<void> {
  await holdCharges(tx, accountId)
  await tx
    .updateTable('meter_keys')
    .set((row) => ({
      monthly_budget: row('monthly_budget', '+', credits),
      budget_left: row('budget_left', '+', credits),
    }))
    .where('key_id', '=', keyId)
    .where('monthly_budget', 'is not', null)
    .execute()
}

/**
 * Gives a key a budget of credits per UTC month, starting over with the next call; null removes it. What is held was taken from the
 * earlier budget, so it does not come back to this one. Blocks the account's charges until the transaction ends.
 */
export async function setKeyBudget(
  tx: Queryable,
  { keyId, accountId }: MeterKey,
  monthlyCredits: number | null,
): Promise<void> {
  await holdCharges(tx, accountId)
  await tx
    .updateTable('credit_holds')
    .set({ from_budget: 0 })
    .where('account_id', '=', accountId)
    .where('key_id', '=', keyId)
    .execute()
  await tx
    .updateTable('meter_keys')
    .set({ monthly_budget: monthlyCredits, budget_left: 0, budget_until: '-infinity' })
    .where('key_id', '=', keyId)
    .execute()
}
