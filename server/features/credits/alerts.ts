import { sql } from 'kysely'
import { eachBucket, enterBucket } from '../../db/buckets.ts'
import type { Database, Queryable } from '../../db/database.ts'

// The special values of alert_below have their names in server/db/functions/alert_below.sql.
const unknown = sql<number>`alert_below_unknown()`
const none = sql<number>`alert_below_none()`

/** Accounts whose charges have crossed an alert since the job last ran. Written by the commit that crossed it. */
export async function accountsWithAlertsDue(db: Queryable): Promise<number[]> {
  const rows = await db.selectFrom('usage_alerts_due').select('account_id').orderBy('account_id').execute()
  return rows.map((row) => row.account_id)
}

/**
 * Takes an account's due mark. Returns false when another instance took it. The caller holds the account's lock
 * (`holdCharges`).
 */
export async function takeAlertDue(tx: Queryable, accountId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('usage_alerts_due')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The charge that leaves `credits` or fewer makes the account due again; null: none until its credits change. */
export async function setNextAlert(tx: Queryable, accountId: number, credits: number | null): Promise<void> {
  await tx
    .updateTable('credit_accounts')
    .set({ alert_below: credits ?? none })
    .where('account_id', '=', accountId)
    .execute()
}

/**
 * The same for many due accounts, computed without their locks; their due marks are removed. An account stays due if it
 * has crossed its next alert in the meantime, its credits or preferences changed, or a commit holds it.
 */
export async function setNextAlerts(
  db: Queryable,
  alerts: readonly { accountId: number; credits: number | null }[],
): Promise<void> {
  await sql`
    with l as (
      select a.account_id, coalesce(n.credits, ${none}) as credits from unnest(${alerts.map(({ accountId }) => accountId)}::bigint[],
        ${alerts.map(({ credits }) => credits)}::bigint[]) n(account_id, credits) join credit_accounts a using (account_id)
      where a.alert_below in (${none}, alert_below_crossed()) and a.balance > coalesce(n.credits, ${none}) order by a.account_id for no key update of a skip locked
    ), u as (
      update credit_accounts a set alert_below = l.credits from l where a.account_id = l.account_id returning a.account_id
    )
    delete from usage_alerts_due d using u where d.account_id = u.account_id`.execute(db)
}

/** Call after changing anything that alerts depend on, except credits: the next charge makes the account due. */
export async function askForAlerts(tx: Queryable, accountId: number): Promise<void> {
  await enterBucket(tx, accountId)
  await tx.updateTable('credit_accounts').set({ alert_below: unknown }).where('account_id', '=', accountId).execute()
}

/** The same for all accounts, at the start of a month, since alerts are sent once per period. */
export async function askForAllAlerts(db: Database): Promise<void> {
  await eachBucket(db, ({ kysely }) =>
    sql`update credit_accounts set alert_below = ${unknown} where alert_below <> ${unknown}`.execute(kysely),
  )
}
