import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

export interface Balance {
  /** Credits available now. */
  remaining: number
  /** Calls are recorded, nothing is charged. */
  unlimited: boolean
  payAsYouGoEnabled: boolean
  /** Suspended: every call is refused. */
  blocked: boolean
}

const none: Balance = { remaining: 0, unlimited: false, payAsYouGoEnabled: false, blocked: false }

/** Of the credits left, those from packs: plan credits are spent first. */
export async function readBought(db: Queryable, accountId: number): Promise<number> {
  const { rows } = await sql<{ bought: number }>`
    select least(balance, (select coalesce(sum(remaining), 0)::bigint from credit_grants
      where credit_grants.account_id = credit_accounts.account_id and kind = 'topup' and state = 'live')) as bought
    from credit_accounts where account_id = ${accountId}`.execute(db)
  return rows[0]?.bought ?? 0
}

/** What an account can spend now. Expired credits are closed first, so they never show. */
export async function readBalance(db: Queryable, accountId: number): Promise<Balance> {
  const read = () =>
    db
      .selectFrom('credit_accounts')
      .select(['balance', 'unlimited', 'payg_enabled', 'blocked', sql<boolean>`due_at <= app_now()`.as('due')])
      .where('account_id', '=', accountId)
      .executeTakeFirst()
  let row = await read()
  if (row?.due) {
    await sql`select credit_settle(${accountId}, app_now())`.execute(db)
    row = await read()
  }
  if (!row) return none
  return { remaining: row.balance, unlimited: row.unlimited, payAsYouGoEnabled: row.payg_enabled, blocked: row.blocked }
}
