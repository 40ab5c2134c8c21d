import { sql } from 'kysely'
import type { Database, Queryable } from '../../db/database.ts'

/** Where an account's next alert is not worked out yet: its next charge asks the job to. */
const ASK = '9007199254740991'

/** Accounts whose charges have crossed an alert since the job last looked; written by the commit that crossed it. */
export async function accountsWithAlertsDue(db: Queryable): Promise<number[]> {
  const rows = await db.selectFrom('usage_alerts_due').select('account_id').orderBy('account_id').execute()
  return rows.map((row) => row.account_id)
}

/** Takes the fact that an account is due; false: another instance did. The caller holds the account's lock (`holdCharges`). */
export async function takeAlertDue(tx: Queryable, accountId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('usage_alerts_due')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The charge that leaves `credits` or fewer makes the account due again; null: none does until its credits change. */
export async function setNextAlert(tx: Queryable, accountId: number, credits: number | null): Promise<void> {
  await tx
    .updateTable('credit_accounts')
    .set({ alert_below: credits ?? -1 })
    .where('account_id', '=', accountId)
    .execute()
}

/**
 * The same for many accounts that were due, worked out without their locks; those facts are dealt with. An account that has
 * crossed its next alert meanwhile, whose credits or preferences changed, or that a commit holds just now, stays due.
 */
export async function setNextAlerts(
  db: Queryable,
  alerts: readonly { accountId: number; credits: number | null }[],
): Promise<void> {
  await sql`
    with l as (
      select a.account_id, n.credits from unnest(${alerts.map(({ accountId }) => accountId)}::bigint[],
        ${alerts.map(({ credits }) => credits ?? -1)}::bigint[]) n(account_id, credits) join credit_accounts a using (account_id)
      where a.alert_below < 0 and a.balance > n.credits order by a.account_id for no key update of a skip locked
    ), u as (
      update credit_accounts a set alert_below = l.credits from l where a.account_id = l.account_id returning a.account_id
    )
    delete from usage_alerts_due d using u where d.account_id = u.account_id`.execute(db)
}

/** After a change of what alerts depend on, beside credits: the next charge makes the account due. */
export async function askForAlerts(tx: Queryable, accountId: number): Promise<void> {
  await tx.updateTable('credit_accounts').set({ alert_below: ASK }).where('account_id', '=', accountId).execute()
}

/** The same for all, when a month begins: alerts are once in a period. */
export async function askForAllAlerts(db: Database): Promise<void> {
  await sql`update credit_accounts set alert_below = ${ASK}::bigint where alert_below <> ${ASK}::bigint`.execute(
    db.kysely,
  )
}
