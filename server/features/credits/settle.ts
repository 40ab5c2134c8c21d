import { sql } from 'kysely'
import { sumOfBuckets } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

const PAGE = 500
/** Calls of these accounts wait meanwhile, for some milliseconds at most. */
const IN_ONE_TRANSACTION = 10

/**
 * Burns spent credits into grants and closes expired ones, for every account that has either, a few of them in each short
 * transaction. Accounts that are being charged right now are left to the next run. Safe at any time and on several instances.
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
    const ids = rows.map(({ account_id }) => account_id)
    for (let at = 0; at < ids.length; at += IN_ONE_TRANSACTION)
      settled += await settleUnlessBusy(db, ids.slice(at, at + IN_ONE_TRANSACTION))
    const last = ids.at(-1)
    if (!last || ids.length < PAGE) return settled
    after = last
  }
}

const settleUnlessBusy = (db: Database, ids: number[]): Promise<number> =>
  db.kysely.transaction().execute(async (tx) => {
    const { rows } = await sql<{ account_id: number }>`
      select account_id from credit_accounts where account_id = any(${ids}) order by account_id for no key update skip locked`.execute(
      tx,
    )
    const settled = rows.map(({ account_id }) => sql`credit_settle(${account_id}, app_now())`)
    if (settled.length > 0) await sql`select ${sql.join(settled)}`.execute(tx)
    return settled.length
  })
