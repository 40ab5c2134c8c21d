import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { sumOfBuckets } from '../../../db/buckets.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { accountsWithAlertsDue, setNextAlert, takeAlertDue } from '../../credits/alerts.ts'
import { readBalance } from '../../credits/balance.ts'
import { holdCharges } from '../../credits/set-entitlements.ts'
import { notifyManagers } from '../notify-managers.ts'
import { alertState } from './alert-state.ts'
import { readPreferences } from './preferences.ts'
import { queueAlert } from './queue-alert.ts'
import { settleQuietAlerts } from './quiet-alerts.ts'
import { usagePeriod } from './usage-period.ts'
import { usedSince } from './used-since.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'config'>

interface Alert {
  accountId: number
  percent: number
  used: number
  remaining: number
  periodStart: Date
  periodEnd: Date
}

/**
 * Sends the usage alerts that are due, by mail and webhook: at the account's threshold and at 100 percent of the
 * period's credits, each once per period. The commit that crosses an alert marks its account as due; the mark stays
 * until a job has handled it. A threshold of 0 turns both off. Safe at any time and on several instances. Returns how
 * many were sent.
 */
export async function raiseUsageAlerts(deps: Needs): Promise<number> {
  return sumOfBuckets(deps.db, (db) => raiseInBucket(deps, db))
}

async function raiseInBucket(deps: Needs, db: Database): Promise<number> {
  let raised = 0
  // Accounts that this does not settle are handled one by one.
  await settleQuietAlerts(db, await accountsWithAlertsDue(db.kysely)).catch((error: Error) =>
    deps.log.error({ error: error.message }, 'could not settle accounts without alerts in one batch'),
  )
  for (const accountId of await accountsWithAlertsDue(db.kysely)) {
    raised += await deps.db.kysely
      .transaction()
      .execute((tx) => raiseFor(tx, deps, accountId))
      .catch((error: Error) => {
        deps.log.error({ account: accountId, error: error.message }, 'could not send a usage alert')
        return 0
      })
  }
  return raised
}

async function raiseFor(tx: Queryable, deps: Needs, accountId: number): Promise<number> {
  // The same lock order as the commit, which holds the account when it marks it as due.
  await holdCharges(tx, accountId)
  if (!(await takeAlertDue(tx, accountId))) return 0
  const { alertThreshold } = await readPreferences(tx, accountId)
  const { start: periodStart, end: periodEnd } = await usagePeriod(tx, accountId)
  const { remaining } = await readBalance(tx, accountId)
  const used = await usedSince(tx, accountId, periodStart)
  const { crossed, next } = alertState(alertThreshold, used, remaining)
  let raised = 0
  for (const percent of crossed) {
    const alert = { accountId, percent, used, remaining, periodStart, periodEnd }
    if (await note(tx, alert)) {
      await tell(tx, deps, alert)
      raised++
    }
  }
  await setNextAlert(tx, accountId, next)
  return raised
}

/**
 * Returns false when it was already recorded. Without a plan the period slides by a day at a time, so its alerts are
 * recorded under the first of the month.
 */
async function note(tx: Queryable, { accountId, percent, periodStart, periodEnd }: Alert): Promise<boolean> {
  const { rows } = await sql`
    insert into usage_alerts (account_id, period_start, percent)
    select ${accountId}, case when ${periodEnd}::timestamptz <= app_now() then date_trunc('month', app_now(), 'UTC') else ${periodStart} end, ${percent}
    on conflict do nothing returning 1`.execute(tx)
  return rows.length > 0
}

async function tell(tx: Queryable, deps: Needs, alert: Alert): Promise<void> {
  const { accountId, percent, used, remaining, periodStart, periodEnd } = alert
  const total = used + remaining
  const heading = percent === 100 ? 'Your credits are used up' : `${percent}% of your credits are used`
  await notifyManagers(tx, deps, {
    accountId,
    kind: `usage.${percent}`,
    ref: `${periodStart.toISOString()} ${randomUUID()}`,
    subject: heading,
    content: {
      heading,
      paragraphs: [
        `${used.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} credits of this period are used.`,
        percent === 100
          ? 'Calls that cost credits are refused until you top up, change your plan, or the next period starts.'
          : 'Top up or change your plan to avoid an interruption.',
      ],
      action: { label: 'Open billing', url: `${deps.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
  await queueAlert(tx, accountId, {
    type: 'usage.alert',
    data: { percent, used, remaining, period_start: periodStart, period_end: periodEnd },
  })
}
