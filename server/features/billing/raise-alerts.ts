import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { accountsWithAlertsDue, setNextAlert, takeAlertDue } from '../credits/alerts.ts'
import { readBalance } from '../credits/balance.ts'
import { holdCharges } from '../credits/set-entitlements.ts'
import { alertState } from './alert-state.ts'
import { notifyManagers } from './notify-managers.ts'
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
 * Raises the usage alerts that are due: at the account's threshold and at 100 percent of what the period's credits were,
 * each once in a period, by mail and by webhook. The commits that crossed an alert have noted their accounts: a fact stays
 * until it was dealt with, however long no job ran. A threshold of 0 switches both off. Safe at any time, on several
 * instances at once. Answers how many were raised.
 */
export async function raiseUsageAlerts(deps: Needs): Promise<number> {
  let raised = 0
  // Whom this does not settle is looked at one by one.
  await settleQuietAlerts(deps.db, await accountsWithAlertsDue(deps.db.kysely)).catch((error: Error) =>
    deps.log.error({ error: error.message }, 'accounts without alerts were not settled together'),
  )
  for (const accountId of await accountsWithAlertsDue(deps.db.kysely)) {
    raised += await deps.db.kysely
      .transaction()
      .execute((tx) => raiseFor(tx, deps, accountId))
      .catch((error: Error) => {
        deps.log.error({ account: accountId, error: error.message }, 'a usage alert was not raised')
        return 0
      })
  }
  return raised
}

async function raiseFor(tx: Queryable, deps: Needs, accountId: number): Promise<number> {
  // In this order, as the commit does: it holds the account when it notes the fact.
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

/** False: raised before. A period of no plan moves on with the day, so its alerts are noted under its first of month. */
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
          ? 'Calls that cost credits are refused until you top up, change your plan, or the next period begins.'
          : 'Top up or change your plan to go on without a break.',
      ],
      action: { label: 'Open billing', url: `${deps.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
  await queueAlert(tx, accountId, {
    type: 'usage.alert',
    data: { percent, used, remaining, period_start: periodStart, period_end: periodEnd },
  })
}
