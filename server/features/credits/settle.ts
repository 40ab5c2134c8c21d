import { sql } from 'kysely'
import { sumOfBuckets } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

const PAGE = 500

/**
 * Burns spent credits into grants and closes expired ones, for every account that has either, in one short transaction
 * each. Accounts that are being charged right now are left to the next run. Safe at any time and on several instances.
 * Returns how many accounts were settled.
 */
export const settleAccounts = (db: Database): Promise<number> => sumOfBuckets(db, settleBucket)

async function settleBucket(db: Database): Promise<number> {
  let settled = 0
  let after = 0
  for (;;) {
    const { rows } = await sql<{ account_id: number }>`
      select account_id from credit_accounts
      where account_id > ${after} and (unsettled > 0 or due_at <= (select app_now()))
      order by account_id limit ${PAGE}`.execute(db.kysely)
    for (const { account_id: accountId } of rows) settled += (await settleUnlessBusy(db, accountId)) ? 1 : 0
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return settled
    after = last.account_id
  }
}

const settleUnlessBusy = (db: Database, accountId: number): Promise<boolean> =>
  db.kysely.transaction().execute(async (tx) => {
    const { rows } = await sql`
      select from credit_accounts where account_id = ${accountId} for no key update skip locked`.execute(tx)
    if (rows.length > 0) await sql`select credit_settle(${accountId}, app_now())`.execute(tx)
    return rows.length > 0
  })
