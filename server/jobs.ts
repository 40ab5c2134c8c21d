import type { Task, TaskList } from 'graphile-worker'
import type { Deps } from './deps.ts'
import { archiveUsage } from './features/archive/archive-usage.ts'
import { forgetAuthLeftovers } from './features/auth/forget.ts'
import { deliverAlerts } from './features/billing/alerts/deliver-alerts.ts'
import { raiseUsageAlerts } from './features/billing/alerts/raise-alerts.ts'
import { raiseCapAlerts } from './features/billing/alerts/raise-cap-alerts.ts'
import { settleForgottenCheckouts } from './features/billing/checkout/settle-checkouts.ts'
import { findMissedEvents } from './features/billing/events/find-missed-events.ts'
import { processEvents } from './features/billing/events/process-events.ts'
import { grantMonths } from './features/billing/invoices/grant-months.ts'
import { billUsage } from './features/billing/pay-as-you-go/bill-usage.ts'
import { endGrace } from './features/billing/plans/refresh-entitlements.ts'
import { renewFreePlans } from './features/billing/plans/renew-free-plans.ts'
import { syncCatalog } from './features/billing/plans/sync-catalog.ts'
import { reconcile } from './features/billing/reconcile.ts'
import { runAutoTopups } from './features/billing/topups/auto-topup.ts'
import { askForAllAlerts } from './features/credits/alerts.ts'
import { settleAccounts } from './features/credits/settle.ts'
import { fetchCrontab } from './features/datasets/connectors/schedule-crontab.ts'
import { erasePeople } from './features/deletion/erase-people.ts'
import { buildExports } from './features/export/build-exports.ts'
import { foldUsage, rollUsage } from './features/metering/fold.ts'
import { forgetOldCommits } from './features/metering/forget.ts'
import { endExpiredHolds } from './features/metering/holds.ts'
import { checkInvariants } from './features/metering/invariants.ts'
import { keepPartitions } from './features/metering/partitions.ts'
import { foldFigures } from './features/operator/figures/fold-figures.ts'
import { tellAttention } from './features/operator/health/attention.ts'
import { linesOf, noteCheckRun } from './features/operator/health/check-runs.ts'
import { noteDatabaseSize } from './features/operator/health/read-health.ts'
import { runDoctor } from './features/operator/health/run-doctor.ts'
import { runProductJobs } from './features/operator/products/run-product-jobs.ts'
import { endOverViews } from './features/support-view/end-view.ts'
import { forgetAnswers } from './features/tools/once.ts'
import { compactUsage } from './features/usage/compact.ts'
import { forgetFailedCalls } from './features/usage/failed-calls.ts'
import { forgetMails } from './mail/forget-mails.ts'
import type { Metrics } from './metrics/metrics.ts'
import { runTasks } from './run-tasks.ts'

/** When each job runs (UTC). With `fill`, a run missed while no server was up happens once at startup. */
const crontab = `
* * * * *    settle
* * * * *    release_holds
*/5 * * * *  renew_free_plans ?fill=1d
* * * * *    apply_stripe_events
* * * * *    tell_attention
*/10 * * * * check_health
*/5 * * * *  find_missed_events
*/10 * * * * settle_checkouts
* * * * *    auto_topup
* * * * *    bill_usage
* * * * *    find_out_payments
* * * * *    usage_alerts
0 0 1 * *    month_of_alerts ?fill=2d
*/10 * * * * grant_months
*/10 * * * * end_grace
*/10 * * * * sync_catalogue
* * * * *    publish_products
* * * * *    build_exports
* * * * *    end_support_views
23 * * * *   erase_people ?fill=1d
2 * * * *    roll_usage ?fill=1d
7 * * * *    keep_partitions ?fill=1d
*/5 * * * *  fold_figures ?fill=1d
37 * * * *   archive_usage
17 * * * *   forget_old_commits
27 * * * *   forget_auth_leftovers
47 4 * * *   compact_usage ?fill=1d
13 5 * * *   close_balances ?fill=1d
33 3 * * *   check_invariants
3 4 * * *    reconcile_billing
${fetchCrontab}
`

/**
 * Recurring jobs, coordinated by the database: of any number of instances one runs each job. Returns a function that
 * stops them.
 */
export async function startJobs(deps: Deps): Promise<{ stop: () => Promise<void> }> {
  const tasks: TaskList = {
    settle: async () => {
      await settleAccounts(deps.db)
      // Takes over what a dead server left pending.
      await foldUsage(deps.db)
    },
    release_holds: async () => void (await endExpiredHolds(deps.db)),
    renew_free_plans: async () => void (await renewFreePlans(deps)),
    apply_stripe_events: async () => void (await processEvents(deps)),
    tell_attention: async () => void (await tellAttention(deps)),
    check_health: async () => {
      await runDoctor(deps)
      await noteDatabaseSize(deps.db.kysely)
    },
    find_missed_events: async () => void (await findMissedEvents(deps)),
    settle_checkouts: async () => void (await settleForgottenCheckouts(deps)),
    auto_topup: async () => void (await runAutoTopups(deps)),
    bill_usage: async () => void (await billUsage(deps)),
    find_out_payments: async () => void (await deps.payments?.findOut()),
    close_balances: async () => void (await deps.payments?.closeBalances()),
    usage_alerts: async () => {
      await raiseUsageAlerts(deps)
      await raiseCapAlerts(deps)
      await deliverAlerts(deps)
    },
    month_of_alerts: async () => askForAllAlerts(deps.db),
    grant_months: async () => void (await grantMonths(deps)),
    end_grace: async () => endGrace(deps),
    sync_catalogue: async () => void (await syncCatalog(deps)),
    publish_products: async () => void (await runProductJobs(deps)),
    build_exports: async () => buildExports(deps),
    end_support_views: async () => void (await endOverViews(deps.db)),
    erase_people: async () => void (await erasePeople(deps)),
    roll_usage: async () => rollUsage(deps.db),
    keep_partitions: async () => void (await keepPartitions(deps.db)),
    fold_figures: async () => foldFigures(deps.db),
    archive_usage: () => archiveUsage(deps),
    compact_usage: async () => void (await compactUsage(deps.db)),
    forget_auth_leftovers: async () => void (await forgetAuthLeftovers(deps.db)),
    forget_old_commits: async () => {
      await forgetOldCommits(deps.db)
      await forgetAnswers(deps.db)
      await forgetMails(deps.db.kysely)
      await forgetFailedCalls(deps.db.kysely)
    },
    check_invariants: async () => {
      const violations = await checkInvariants(deps.db)
      const lines = violations.map(({ invariant, detail }) => `${invariant}: ${detail}`)
      await noteCheckRun(deps.db.kysely, 'invariants', linesOf(lines))
      if (violations.length > 0) deps.log.fatal({ violations }, 'credit invariants are violated')
    },
    fetch_data: async (payload) => {
      // Loaded when it is needed: most servers fetch nothing.
      const { fetchScheduled } = await import('./features/datasets/connectors/schedule.ts')
      const report = await fetchScheduled(deps.config, (payload as { connector: string }).connector)
      if (report)
        deps.log.info({ connector: report.connector, outcome: report.outcome, rows: report.rows }, 'data fetched')
    },
    reconcile_billing: async () => {
      const { missedEvents, compared, repaired, violations } = await reconcile(deps)
      deps.log[repaired.length > 0 ? 'warn' : 'info']({ missedEvents, compared, repaired }, 'billing reconciled')
      await noteCheckRun(deps.db.kysely, 'billing invariants', linesOf(violations))
      if (violations.length > 0) deps.log.fatal({ violations }, 'billing totals do not match')
    },
  }
  const runner = await runTasks(deps.db.pool, timed(tasks, deps.metrics), crontab, (message) =>
    deps.log.warn({ job: message }, 'jobs'),
  )
  return { stop: () => runner.stop() }
}

/** Wraps the tasks, so that each run is counted. */
function timed(tasks: TaskList, metrics: Metrics | null): TaskList {
  if (!metrics) return tasks
  const timedTask =
    (name: string, task: Task): Task =>
    async (...given) => {
      const startedAtMs = performance.now()
      const note = (result: 'success' | 'failed'): void => metrics.job(name, result, performance.now() - startedAtMs)
      try {
        await task(...given)
        note('success')
      } catch (error) {
        note('failed')
        throw error
      }
    }
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, timedTask(name, task as Task)]))
}
